/* Forked children of a process that is probing can probe too, and free what they have inherited: host_fork SERVER. */
#include "host.h"

static const char *server;
static int stop;

static void *keep_probing(void *unused)
{
    const char *argv[] = {server, "good", "thread", NULL};
    mcpd_probe_options options = patient(argv);
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE))
        CHECK(probe(&options, NULL) == MCPD_OK);
    return unused;
}

static void in_the_child(mcpd_cancel *cancel, mcpd_verdict *inherited)
{
    const char *argv[] = {server, "good", "child", NULL};
    mcpd_probe_options options = patient(argv);
    mcpd_verdict *verdict;
    mcpd_text *json;
    alarm(20); /* which ends what hangs */
    options.cancel = cancel;
    CHECK(probe(&options, NULL) == MCPD_WRONG_PROCESS);
    CHECK(mcpd_cancel_fire(cancel) == MCPD_WRONG_PROCESS);
    mcpd_cancel_free(cancel);
    CHECK(is_modern(inherited, "parent"));
    CHECK(mcpd_verdict_to_json(inherited, &json, NULL) == MCPD_OK);
    mcpd_text_free(json);
    mcpd_verdict_free(inherited);
    CHECK(mcpd_cancel_new(&cancel, NULL) == MCPD_OK);
    options.cancel = cancel;
    CHECK(probe(&options, &verdict) == MCPD_OK && is_modern(verdict, "child"));
    mcpd_verdict_free(verdict);
    CHECK(mcpd_cancel_fire(cancel) == MCPD_OK);
    CHECK(probe(&options, NULL) == MCPD_CANCELLED);
    mcpd_cancel_free(cancel);
    CHECK(!has_child());
}

int main(int argc, char **argv)
{
    server = argc > 1 ? argv[1] : "";
    const char *command[] = {server, "good", "parent", NULL};
    mcpd_probe_options options = patient(command);
    mcpd_cancel *cancel;
    mcpd_verdict *verdict;
    pthread_t busy[2];
    CHECK(mcpd_cancel_new(&cancel, NULL) == MCPD_OK);
    CHECK(probe(&options, &verdict) == MCPD_OK);
    for (int i = 0; i < 2; i++)
        pthread_create(&busy[i], NULL, keep_probing, NULL);
    for (int i = 0; i < 20; i++) {
        int status = -1;
        pid_t child = fork();
        if (child == 0) {
            in_the_child(cancel, verdict);
            _exit(failures != 0);
        }
        CHECK(waitpid(child, &status, 0) == child && status == 0);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < 2; i++)
        pthread_join(busy[i], NULL);
    /* Nothing that the children did has reached the parent. */
    options.cancel = cancel;
    CHECK(probe(&options, NULL) == MCPD_OK);
    CHECK(mcpd_cancel_fire(cancel) == MCPD_OK);
    CHECK(probe(&options, NULL) == MCPD_CANCELLED);
    mcpd_cancel_free(cancel);
    mcpd_verdict_free(verdict);
    return failures != 0;
}
