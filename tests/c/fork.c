/* In the child of a fork new calls work, and the parent's cancel handle says that it is of another process. */
#define _POSIX_C_SOURCE 200809L
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static void in_the_child(mcpd_cancel *cancel)
{
    const char *argv[] = {"true", NULL};
    mcpd_probe_options options = {0};
    options.struct_size = sizeof options;
    options.argv = argv;
    options.cancel = cancel;
    mcpd_verdict *verdict;
    mcpd_error *error;
    CHECK(mcpd_probe_stdio(&options, &verdict, &error) == MCPD_WRONG_PROCESS && verdict == NULL);
    CHECK(is(error->argument, "cancel"));
    mcpd_error_free(error);
    CHECK(mcpd_cancel_fire(cancel) == MCPD_WRONG_PROCESS);
    options.cancel = NULL;
    CHECK(mcpd_probe_stdio(&options, &verdict, NULL) == MCPD_OK);
    CHECK(verdict->era == MCPD_ERA_UNKNOWN);
    mcpd_verdict_free(verdict);
    mcpd_cancel_free(cancel);
}

int main(void)
{
    mcpd_cancel *cancel;
    CHECK(mcpd_cancel_new(&cancel, NULL) == MCPD_OK);
    pid_t child = fork();
    if (child == 0) {
        in_the_child(cancel);
        exit(failures != 0);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(mcpd_cancel_fire(cancel) == MCPD_OK);
    mcpd_cancel_free(cancel);
    return failures != 0;
}
