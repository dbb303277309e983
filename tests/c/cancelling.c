/* A blocking call is stopped from a signal handler and from another thread; other threads are not disturbed. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static mcpd_cancel *fired_by_signal;

static void on_alarm(int number)
{
    (void)number;
    mcpd_cancel_fire(fired_by_signal);
}

static mcpd_status probe(const char *const *argv, const mcpd_cancel *cancel)
{
    mcpd_probe_options options = {0};
    options.struct_size = sizeof options;
    options.argv = argv;
    options.cancel = cancel;
    mcpd_verdict *verdict;
    mcpd_status status = mcpd_probe_stdio(&options, &verdict, NULL);
    CHECK((verdict != NULL) == (status == MCPD_OK));
    mcpd_verdict_free(verdict);
    return status;
}

static const char *const silent[] = {"sleep", "100", NULL};
static const char *const leaving[] = {"true", NULL};

static void *probe_silent(void *cancel)
{
    CHECK(probe(silent, cancel) == MCPD_CANCELLED);
    return NULL;
}

int main(void)
{
    time_t begin = time(NULL);
    CHECK(mcpd_cancel_new(&fired_by_signal, NULL) == MCPD_OK);
    struct sigaction action = {0};
    action.sa_handler = on_alarm;
    sigaction(SIGALRM, &action, NULL);
    alarm(1);
    CHECK(probe(silent, fired_by_signal) == MCPD_CANCELLED);
    CHECK(probe(silent, fired_by_signal) == MCPD_CANCELLED);
    mcpd_cancel_free(fired_by_signal);

    mcpd_cancel *cancel;
    CHECK(mcpd_cancel_new(&cancel, NULL) == MCPD_OK);
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, probe_silent, cancel);
    CHECK(probe(leaving, NULL) == MCPD_OK);
    CHECK(mcpd_cancel_fire(cancel) == MCPD_OK);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    mcpd_cancel_free(cancel);
    CHECK(time(NULL) - begin < 15);
    CHECK(waitid(P_ALL, 0, &(siginfo_t){0}, WEXITED | WNOHANG) == -1 && errno == ECHILD);
    return failures != 0;
}
