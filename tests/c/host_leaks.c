/* Nothing is left of many probes of every kind: host_leaks SERVER COUNT. */
#include "host.h"

int main(int argc, char **argv)
{
    static const char *const modes[] = {"good", "dying", "silent", "missing", "killed", "exiting", "deaf", "errors"};
    long count = strtol(argc > 2 ? argv[2] : "", NULL, 10);
    long halfway = 0;
    int fds = 0, tasks = 0;
    double begin = now_ms();
    for (long i = -16; i < count; i++) {
        const char *mode = modes[(i + 16) % 8];
        const char *command[] = {strcmp(mode, "missing") == 0 ? "/no/such/command" : argv[1], mode, "1", NULL};
        mcpd_probe_options options = impatient(command);
        if (i == 0) {
            /* After some, for the first uses of things cost once. */
            fds = descriptors();
            tasks = threads();
        }
        if (i == count / 2)
            halfway = status_kb("VmRSS:");
        mcpd_status status = probe(&options, NULL);
        CHECK(status == (strcmp(mode, "missing") == 0 ? MCPD_COMMAND_NOT_FOUND : MCPD_OK));
        CHECK(!has_child());
    }
    CHECK(descriptors() == fds);
    CHECK(threads() == tasks && tasks == 1);
    long grown = status_kb("VmRSS:") - halfway;
    printf("%ld probes in %.1f s; %d descriptors, %d thread; resident memory at half time %ld kB, then %+ld kB\n", count,
           (now_ms() - begin) / 1000, fds, tasks, halfway, grown);
    CHECK(grown < 256 || SANITIZED);
    return failures != 0;
}
