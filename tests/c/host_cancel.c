/* A cancel handle ends a call at once, whoever fires it and whenever, and the server is reaped: host_cancel SERVER. */
#include "host.h"

#include <sys/stat.h>

static mcpd_cancel *cancel;
static volatile double fired_at;

static void fire(void)
{
    fired_at = now_ms();
    CHECK(mcpd_cancel_fire(cancel) == MCPD_OK);
}

static void on_alarm(int number)
{
    (void)number;
    fired_at = now_ms();
    mcpd_cancel_fire(cancel);
}

static void *fire_later(void *delay)
{
    sleep_ms((long)(intptr_t)delay);
    fire();
    return NULL;
}

static double worst;

/* Probes for up to 30 s what never answers; gives how long after the firing the call was back. */
static void check_cancelled(const char *what, const char *const *argv, long delay_ms, int by_signal)
{
    pthread_t thread;
    mcpd_probe_options options = patient(argv);
    CHECK(mcpd_cancel_new(&cancel, NULL) == MCPD_OK);
    options.cancel = cancel;
    if (by_signal) {
        struct sigaction action = {0};
        action.sa_handler = on_alarm;
        sigaction(SIGALRM, &action, NULL);
        timer_t timer;
        struct sigevent event = {0};
        event.sigev_notify = SIGEV_SIGNAL;
        event.sigev_signo = SIGALRM;
        struct itimerspec time = {{0, 0}, {0, delay_ms * 1000000}};
        CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 && timer_settime(timer, 0, &time, NULL) == 0);
        CHECK(probe(&options, NULL) == MCPD_CANCELLED);
        timer_delete(timer);
    } else if (delay_ms < 0) {
        fire();
        CHECK(probe(&options, NULL) == MCPD_CANCELLED);
    } else {
        pthread_create(&thread, NULL, fire_later, (void *)(intptr_t)delay_ms);
        CHECK(probe(&options, NULL) == MCPD_CANCELLED);
        pthread_join(thread, NULL);
    }
    double took = now_ms() - fired_at;
    worst = took > worst ? took : worst;
    printf("%-44s back after %5.1f ms\n", what, took);
    CHECK(took < 1000);
    CHECK(children_left() == 0);
    reap_all();
    mcpd_cancel_free(cancel);
}

int main(int argc, char **argv)
{
    const char *server = argc > 1 ? argv[1] : "";
    const char *silent[] = {server, "silent", NULL};
    const char *stubborn[] = {server, "stubborn", NULL};
    const char *loud[] = {"/bin/sh", "-c", "exec yes", NULL};
    const char *loud_and_stubborn[] = {"/bin/sh", "-c", "trap '' TERM; exec yes", NULL};
    const char *loud_errors[] = {"/bin/sh", "-c", "exec yes >&2", NULL};
    const char *tree[] = {"/bin/sh", "-c", "\"$0\" stubborn & \"$0\" stubborn", server, NULL};
    const char *slow_tree[] = {"/bin/sh", "-c", "trap 'sleep 0.04; exit' TERM; \"$0\" stubborn & wait", server, NULL};
    const char *apart[] = {"/bin/sh", "-c", "setsid -f sleep 2; exec \"$0\" stubborn", server, NULL};
    const char *good[] = {server, "good", "n", NULL};
    int before = descriptors();

    /* Orphans come to this process, so that it sees them. */
    CHECK(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0);
    check_cancelled("before the call", silent, -1, 0);
    check_cancelled("during, from a thread", silent, 100, 0);
    check_cancelled("during, from a signal handler", silent, 100, 1);
    check_cancelled("a stubborn server, from a thread", stubborn, 100, 0);
    check_cancelled("a stubborn server, from a signal handler", stubborn, 100, 1);
    check_cancelled("at the start", silent, 0, 0);
    check_cancelled("a server that writes without end", loud, 100, 0);
    check_cancelled("the same, ignoring SIGTERM", loud_and_stubborn, 100, 0);
    check_cancelled("a server that errs without end", loud_errors, 100, 0);
    check_cancelled("a stubborn tree", tree, 100, 0);
    check_cancelled("a tree that is slow to end", slow_tree, 100, 0);
    printf("%-44s back after %5.1f ms\n", "the worst of them", worst);

    /* A program that is being written is waited for; that wait ends too. */
    char path[] = "/tmp/host-cancel-XXXXXX";
    int writer = mkstemp(path);
    CHECK(writer >= 0 && fchmod(writer, 0700) == 0 && write(writer, "#!/bin/sh\n", 10) == 10);
    const char *busy[] = {path, NULL};
    check_cancelled("a program that is still written", busy, 100, 0);
    close(writer);
    unlink(path);

    /* During shutdown: the first process takes its time to leave. */
    const char *leaving[] = {"/bin/sh", "-c", "trap '' TERM; \"$0\" dying; exec \"$0\" stubborn", server, NULL};
    check_cancelled("while the server is being ended", leaving, 300, 0);

    /* After: what has its verdict keeps it, and the next call is told. */
    mcpd_probe_options options = patient(good);
    mcpd_verdict *verdict;
    CHECK(mcpd_cancel_new(&cancel, NULL) == MCPD_OK);
    options.cancel = cancel;
    CHECK(probe(&options, &verdict) == MCPD_OK);
    fire();
    fire();
    CHECK(is_modern(verdict, "n"));
    mcpd_verdict_free(verdict);
    CHECK(probe(&options, NULL) == MCPD_CANCELLED);
    mcpd_cancel_free(cancel);

    /* What has left the group keeps the pipes; nobody waits for it. */
    CHECK(!has_child());
    CHECK(mcpd_cancel_new(&cancel, NULL) == MCPD_OK);
    pthread_t thread;
    options = patient(apart);
    options.cancel = cancel;
    pthread_create(&thread, NULL, fire_later, (void *)(intptr_t)100);
    CHECK(probe(&options, NULL) == MCPD_CANCELLED);
    pthread_join(thread, NULL);
    printf("%-44s back after %5.1f ms\n", "pipes in another session", now_ms() - fired_at);
    CHECK(now_ms() - fired_at < 1000);
    mcpd_cancel_free(cancel);
    CHECK(descriptors() == before && (threads() == 1 || SANITIZED));
    return failures != 0;
}
