/* Memory stays bounded whatever a server writes: host_flood SERVER MODE MEBIBYTES. */
#include "host.h"

int main(int argc, char **argv)
{
    const char *command[] = {argv[1], argc > 2 ? argv[2] : "", argc > 3 ? argv[3] : "", NULL};
    const char *good[] = {argv[1], "good", "n", NULL};
    mcpd_probe_options options = patient(good);
    mcpd_verdict *verdict;
    CHECK(probe(&options, NULL) == MCPD_OK);
    long before = status_kb("VmHWM:");
    options = patient(command);
    options.discover_timeout_ms = strcmp(command[1], "line") == 0 ? 20000 : 120000;
    options.fallback = MCPD_FALLBACK_NONE;
    options.timeout_ms = options.discover_timeout_ms;
    double begin = now_ms();
    CHECK(probe(&options, &verdict) == MCPD_OK);
    long grown = status_kb("VmHWM:") - before;
    const mcpd_process *process = verdict->processes[0];
    printf("%s MiB of %s: %+ld kB at the peak, %llu bytes on standard output, %zu kept of standard error, %.1f s\n",
           command[2], command[1], grown, (unsigned long long)process->bytes_received, process->stderr_tail.len,
           (now_ms() - begin) / 1000);
    CHECK(grown < 32 * 1024);
    if (strcmp(command[1], "line") == 0)
        CHECK(process->bytes_received == (uint64_t)strtol(command[2], NULL, 10) << 20);
    else
        CHECK(process->stderr_tail.len == 64 << 10 && is_modern(verdict, "errors"));
    mcpd_verdict_free(verdict);
    return failures != 0;
}
