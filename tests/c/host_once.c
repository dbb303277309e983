/* One probe of every way to start, for those who watch from outside: host_once SERVER. */
#include "host.h"

int main(int argc, char **argv)
{
    const char *good[] = {argc > 1 ? argv[1] : "", "good", "n", NULL};
    const char *by_name[] = {"sh", "-c", "exit 3", NULL};
    const char *const env[] = {"A=1", "HOME", NULL};
    mcpd_probe_options options = patient(good);
    CHECK(probe(&options, NULL) == MCPD_OK);
    options.cwd = "/";
    options.env = env;
    CHECK(probe(&options, NULL) == MCPD_OK);
    options.env_mode = MCPD_ENV_EXACT;
    options.stderr_mode = MCPD_STDERR_DISCARD;
    CHECK(probe(&options, NULL) == MCPD_OK);
    options = patient(by_name);
    CHECK(probe(&options, NULL) == MCPD_OK);
    return failures != 0;
}
