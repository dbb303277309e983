/* Where the system has nothing left a call gives a status, leaves nothing behind, and the host lives on.
 *
 * host_scarcity SERVER LIMIT, where the limit is one of descriptors, processes, memory. */
#include "host.h"

#include <fcntl.h>
#include <sys/mman.h>

static void set_limit(int resource, rlim_t number)
{
    struct rlimit limit;
    CHECK(getrlimit(resource, &limit) == 0);
    limit.rlim_cur = number;
    CHECK(setrlimit(resource, &limit) == 0);
}

/* With each number of descriptors, from none on, until a probe succeeds; with and without a cancel handle. */
static void check_descriptors(const char *server, mcpd_stderr_mode stderr_mode)
{
    const char *argv[] = {server, "good", "n", NULL};
    mcpd_probe_options options = patient(argv);
    mcpd_cancel *cancel = NULL;
    int before = descriptors(), refused = 0, served = 0;
    struct rlimit limit;
    CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    options.stderr_mode = stderr_mode;
    int used = open("/dev/null", O_RDONLY);
    close(used);
    for (int spare = 0; spare < 30; spare++) {
        set_limit(RLIMIT_NOFILE, (rlim_t)used + (rlim_t)spare);
        mcpd_status made = mcpd_cancel_new(&cancel, NULL);
        CHECK((cancel != NULL) == (made == MCPD_OK));
        CHECK(made == MCPD_OK || (made == MCPD_OUT_OF_RESOURCES && spare < 4));
        options.cancel = cancel;
        mcpd_verdict *verdict;
        mcpd_status status = probe(&options, &verdict);
        CHECK(status == MCPD_OK || status == MCPD_OUT_OF_RESOURCES);
        CHECK(status != MCPD_OK || is_modern(verdict, "n"));
        CHECK(status == MCPD_OK || served == 0);
        served += status == MCPD_OK;
        refused += status != MCPD_OK;
        mcpd_verdict_free(verdict);
        mcpd_cancel_free(cancel);
        set_limit(RLIMIT_NOFILE, limit.rlim_cur);
        CHECK(descriptors() == before && !has_child());
    }
    printf("descriptors: %d refused, %d served\n", refused, served);
    CHECK(refused > 5 && served > 5);
}

/* Root has no limit of processes, so this goes on as nobody. */
static void check_processes(const char *server)
{
    const char *argv[] = {server, "good", "n", NULL};
    const char *launcher[] = {"/bin/sh", "-c", "\"$0\" good n; exit", server, NULL};
    mcpd_probe_options options = patient(argv);
    mcpd_verdict *verdict;
    if (getuid() == 0 && setuid(65534) != 0) {
        printf("SKIPPED: cannot become another user, and root has no limit of processes\n");
        return;
    }
    CHECK(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == 0); /* so that /proc/self can be read on */
    int before = descriptors();
    set_limit(RLIMIT_NPROC, 0);
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    CHECK(pid == -1 && errno == EAGAIN);
    for (int i = 0; i < 20; i++)
        CHECK(probe(&options, NULL) == MCPD_OUT_OF_RESOURCES);
    CHECK(descriptors() == before && threads() == 1 && !has_child());
    /* A launcher that can't start its server; the limit counts all processes of the user, so it may be too many already. */
    options.argv = launcher;
    set_limit(RLIMIT_NPROC, 1);
    mcpd_status status = probe(&options, &verdict);
    CHECK(status == MCPD_OK || status == MCPD_OUT_OF_RESOURCES);
    mcpd_verdict_free(verdict);
    CHECK(descriptors() == before && !has_child());
}

static rlim_t address_space(void)
{
    return (rlim_t)status_kb("VmSize:") << 10;
}

/* A server that sends much, at limits from tight to ample: whatever there is no memory for, the host lives. */
static void check_memory(const char *server, const char *mode, const char *mebibytes, int wants_verdict)
{
    const char *argv[] = {server, mode, mebibytes, NULL};
    mcpd_probe_options options = patient(argv);
    int statuses[20] = {0}, known = 0, texts = 0;
    struct rlimit limit;
    CHECK(getrlimit(RLIMIT_AS, &limit) == 0);
    options.timeout_ms = strcmp(mode, "line") == 0 ? 300 : 1500;
    options.discover_timeout_ms = options.timeout_ms;
    options.max_stderr_bytes = 64 << 20;
    options.max_line_bytes = 64 << 20;
    options.max_transcript_bytes = 64 << 20;
    options.max_starts = 1;
    int before = descriptors();
    /* What is not a peer's to decide takes less than the first of these. */
    for (rlim_t spare = 2; spare <= 512; spare += spare / 2) {
        mcpd_verdict *verdict;
        mcpd_text *json = NULL, *printable = NULL;
        set_limit(RLIMIT_AS, address_space() + (spare << 20));
        mcpd_status status = probe(&options, &verdict);
        if (verdict != NULL) {
            known += verdict->era == MCPD_ERA_MODERN;
            mcpd_status told = mcpd_verdict_to_json(verdict, &json, NULL);
            CHECK(told == MCPD_OK || told == MCPD_OUT_OF_MEMORY);
            texts += told == MCPD_OK;
            mcpd_str tail = verdict->processes[0]->stderr_tail;
            told = mcpd_text_printable(tail.ptr, tail.len, &printable, NULL);
            CHECK(told == MCPD_OK || told == MCPD_OUT_OF_MEMORY);
        }
        set_limit(RLIMIT_AS, limit.rlim_cur);
        CHECK(status == MCPD_OK || status == MCPD_OUT_OF_MEMORY || status == MCPD_OUT_OF_RESOURCES);
        statuses[status % 20]++;
        mcpd_text_free(json);
        mcpd_text_free(printable);
        mcpd_verdict_free(verdict);
        CHECK(descriptors() == before && !has_child());
    }
    printf("memory, %-8s %3s MiB: %2d verdicts (%2d modern, %2d as JSON), %2d out of memory\n", mode, mebibytes,
           statuses[MCPD_OK], known, texts, statuses[MCPD_OUT_OF_MEMORY]);
    CHECK(!wants_verdict || known > 0);
}

int main(int argc, char **argv)
{
    const char *server = argc > 1 ? argv[1] : "", *limit = argc > 2 ? argv[2] : "";
    if (strcmp(limit, "processes") == 0) {
        check_processes(server);
        return failures != 0;
    }
    if (strcmp(limit, "descriptors") == 0) {
        check_descriptors(server, MCPD_STDERR_CAPTURE);
        check_descriptors(server, MCPD_STDERR_DISCARD);
        return failures != 0;
    }
    check_memory(server, argc > 3 ? argv[3] : "", argc > 4 ? argv[4] : "", argc > 5);
    return failures != 0;
}
