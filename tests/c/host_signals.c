/* Probes leave the signals of the host alone: every disposition, the mask, what is pending, and every other process.
 *
 * host_signals SERVER SITUATION, where the situation is plain, ENOSYS or EPERM (what pidfd_open fails with), ignored
 * (SIGCHLD is), reaper (a thread of the host reaps every child) or interrupted (a signal comes every other millisecond). */
#include "host.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/time.h>

struct signals {
    struct sigaction actions[65];
    sigset_t mask, pending;
    char lines[5][256];
};

static const char *const names[] = {"SigPnd:", "ShdPnd:", "SigBlk:", "SigIgn:", "SigCgt:"};

static void look(struct signals *now)
{
    /* The host's own clock must not ring in between. */
    struct itimerval off = {{0, 0}, {0, 0}}, was;
    setitimer(ITIMER_REAL, &off, &was);
    memset(now, 0, sizeof *now);
    for (int number = 1; number <= 64; number++)
        sigaction(number, NULL, &now->actions[number]);
    pthread_sigmask(SIG_SETMASK, NULL, &now->mask);
    sigpending(&now->pending);
    for (int i = 0; i < 5; i++)
        CHECK(status_line((pid_t)syscall(SYS_gettid), names[i], now->lines[i]) != NULL);
    setitimer(ITIMER_REAL, &was, NULL);
}

static int same_set(const sigset_t *a, const sigset_t *b)
{
    for (int number = 1; number <= 64; number++)
        if (sigismember(a, number) != sigismember(b, number))
            return 0;
    return 1;
}

static void compare(const struct signals *before, struct signals after, const char *what)
{
    for (int number = 1; number <= 64; number++) {
        const struct sigaction *a = &before->actions[number], *b = &after.actions[number];
        if (a->sa_handler == b->sa_handler && a->sa_flags == b->sa_flags
            && same_set(&a->sa_mask, &b->sa_mask))
            continue;
        fprintf(stderr, "after %s the disposition of signal %d is another\n", what, number);
        failures++;
    }
    CHECK(same_set(&before->mask, &after.mask));
    CHECK(same_set(&before->pending, &after.pending));
    for (int i = 0; i < 5; i++)
        if (strcmp(before->lines[i], after.lines[i]) != 0) {
            fprintf(stderr, "after %s: %s %s, was %s", what, names[i], after.lines[i], before->lines[i]);
            failures++;
        }
}

static void check_unchanged(const struct signals *before, const char *what)
{
    struct signals after;
    look(&after);
    compare(before, after, what);
}

/* While other servers run, one of them may end at any moment, also while this looks. */
static void check_unchanged_but_deaths(const struct signals *before, const char *what)
{
    struct signals after;
    look(&after);
    sigdelset(&after.pending, SIGCHLD);
    for (int i = 0; i < 2; i++) {
        unsigned long long pending = strtoull(after.lines[i] + strlen(names[i]), NULL, 16);
        snprintf(after.lines[i], sizeof after.lines[i], "%s\t%016llx\n", names[i],
                 pending & ~(1ull << (SIGCHLD - 1)));
    }
    compare(before, after, what);
}

static volatile sig_atomic_t terminated, died, piped, alarmed;

static void on_signal(int number)
{
    if (number == SIGTERM)
        terminated++;
    else if (number == SIGCHLD)
        died++;
    else if (number == SIGALRM)
        alarmed++;
    else
        piped++;
}

static volatile int signalled, foreign;

/* Takes the place of the C library's, so that this sees whom the library signals: a number that is no child of this
 * process, not even a zombie, may be another's. */
int kill(pid_t pid, int number)
{
    siginfo_t info;
    pid_t child = pid < 0 ? -pid : pid;
    signalled++;
    if (waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
        foreign++;
    return (int)syscall(SYS_kill, pid, number);
}

static void refuse_pidfds(int error)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
    CHECK(syscall(SYS_pidfd_open, getpid(), 0) == -1 && errno == error);
}

static void *nothing(void *unused)
{
    return unused;
}

static void *reap_everything(void *unused)
{
    for (;;)
        if (waitpid(-1, NULL, 0) < 0)
            sleep_ms(1);
    return unused;
}

static void *fire_soon(void *cancel)
{
    sleep_ms(30);
    CHECK(mcpd_cancel_fire(cancel) == MCPD_OK);
    return NULL;
}

/* A second start begins as the first: with the host's own mask, and SIGPIPE at its default. */
static void check_starts(const mcpd_verdict *verdict)
{
    char host[256], expected[300];
    status_line((pid_t)syscall(SYS_gettid), "SigBlk:", host);
    snprintf(expected, sizeof expected, "%s", host);
    CHECK(verdict->processes_count == 2);
    for (size_t i = 0; i < verdict->processes_count; i++) {
        const char *tail = verdict->processes[i]->stderr_tail.ptr;
        const char *ignored = strstr(tail, "SigIgn:");
        CHECK(strstr(tail, expected) != NULL);
        CHECK(ignored != NULL && (strtoull(ignored + 7, NULL, 16) & 1u << (SIGPIPE - 1)) == 0);
    }
}

static void probe_every_kind(const char *server, int status_known)
{
    static const char *const modes[] = {"good",   "dying",    "exiting", "killed", "silent",
                                        "deaf",   "stubborn", "signals", "line",   "errors"};
    struct signals before;
    look(&before);
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        const char *argv[] = {server, modes[i], strcmp(modes[i], "good") == 0 ? "name" : "1", NULL};
        mcpd_probe_options options = impatient(argv);
        mcpd_verdict *verdict;
        if (i < 4 || i > 6)
            options = patient(argv);
        if (strcmp(modes[i], "line") == 0)
            options.timeout_ms = 300;
        double begin = now_ms();
        CHECK(probe(&options, &verdict) == MCPD_OK);
        CHECK(now_ms() - begin < (options.grace_ms == 50 ? 10000 : 4000));
        check_unchanged(&before, modes[i]);
        if (verdict == NULL)
            continue;
        const mcpd_process *process = verdict->processes[verdict->processes_count - 1];
        if (strcmp(modes[i], "good") == 0)
            CHECK(is_modern(verdict, "name"));
        if (strcmp(modes[i], "signals") == 0)
            check_starts(verdict);
        if (strcmp(modes[i], "dying") == 0 && status_known)
            CHECK(process->exit_kind == MCPD_EXIT_CODE && process->exit_value == 3);
        if (strcmp(modes[i], "killed") == 0 && status_known)
            CHECK(process->exit_kind == MCPD_EXIT_SIGNAL && process->exit_value == SIGKILL);
        CHECK(process->shutdown != MCPD_SHUTDOWN_ABANDONED);
        mcpd_verdict_free(verdict);
    }
    const char *missing[] = {"no-such-command-anywhere", NULL};
    mcpd_probe_options options = patient(missing);
    CHECK(probe(&options, NULL) == MCPD_COMMAND_NOT_FOUND);
    check_unchanged(&before, "a missing command");

    const char *stubborn[] = {server, "stubborn", NULL};
    mcpd_cancel *cancel;
    pthread_t thread;
    CHECK(mcpd_cancel_new(&cancel, NULL) == MCPD_OK);
    options = patient(stubborn);
    options.cancel = cancel;
    pthread_create(&thread, NULL, fire_soon, cancel);
    CHECK(probe(&options, NULL) == MCPD_CANCELLED);
    pthread_join(thread, NULL);
    mcpd_cancel_free(cancel);
    check_unchanged(&before, "cancelling");
}

/* Servers of every kind side by side, among them some that do not read, and some that tell how they began. */
static void scan_every_kind(const char *server, int status_known)
{
    static const char *const modes[] = {"signals", "good", "exiting", "dying", "silent", "deaf"};
    enum { KINDS = sizeof modes / sizeof *modes, COUNT = 4 * KINDS };
    struct signals before;
    mcpd_scan *scan;
    mcpd_scan_item *item;
    int taken = 0;
    look(&before);
    CHECK(mcpd_scan_new(NULL, &scan, NULL) == MCPD_OK);
    for (uint64_t i = 0; i < COUNT; i++) {
        const char *argv[] = {server, modes[i % KINDS], "name", NULL};
        mcpd_probe_options options = i % KINDS < 4 ? patient(argv) : impatient(argv);
        CHECK(mcpd_scan_add(scan, &options, i, NULL) == MCPD_OK);
    }
    while (mcpd_scan_next(scan, 0, &item, NULL) == MCPD_OK && item != NULL) {
        const char *mode = modes[item->tag % KINDS];
        check_unchanged_but_deaths(&before, mode);
        CHECK(item->verdict != NULL);
        if (item->verdict != NULL && strcmp(mode, "signals") == 0)
            check_starts(item->verdict);
        if (item->verdict != NULL && strcmp(mode, "good") == 0)
            CHECK(is_modern(item->verdict, "name"));
        if (item->verdict != NULL && strcmp(mode, "dying") == 0 && status_known)
            CHECK(item->verdict->processes[0]->exit_value == 3);
        mcpd_scan_item_free(item);
        taken++;
    }
    CHECK(taken == COUNT);
    /* And some that run when it is freed. */
    for (uint64_t i = 0; i < KINDS; i++) {
        const char *argv[] = {server, i % 2 == 0 ? "stubborn" : "deaf", NULL};
        mcpd_probe_options options = patient(argv);
        CHECK(mcpd_scan_add(scan, &options, i, NULL) == MCPD_OK);
    }
    CHECK(mcpd_scan_next(scan, 50, &item, NULL) == MCPD_TIMED_OUT);
    mcpd_scan_free(scan);
    check_unchanged(&before, "freeing a scan");
}

int main(int argc, char **argv)
{
    const char *situation = argc > 2 ? argv[2] : "";
    int ignored = strcmp(situation, "ignored") == 0, reaper = strcmp(situation, "reaper") == 0;
    int unknown = ignored || reaper;
    sigset_t some;

    /* The C library catches a signal of its own from the first thread on. */
    pthread_t first;
    pthread_create(&first, NULL, nothing, NULL);
    pthread_join(first, NULL);
    /* Others ignore SIGPIPE on behalf of the programs they start. */
    signal(SIGPIPE, SIG_DFL);
    pid_t bystander = fork();
    if (bystander == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        for (;;)
            pause();
    }
    if (strcmp(situation, "ENOSYS") == 0)
        refuse_pidfds(ENOSYS);
    if (strcmp(situation, "EPERM") == 0)
        refuse_pidfds(EPERM);

    probe_every_kind(argv[1], 1);
    scan_every_kind(argv[1], 1);

    /* The same with handlers, blocked and pending signals, without SA_RESTART so that calls are interrupted. */
    struct sigaction action = {0};
    action.sa_handler = on_signal;
    sigaddset(&action.sa_mask, SIGWINCH);
    sigaction(SIGTERM, &action, NULL);
    if (ignored)
        signal(SIGCHLD, SIG_IGN);
    else
        sigaction(SIGCHLD, &action, NULL);
    pthread_t thread;
    sigemptyset(&some);
    sigaddset(&some, SIGUSR1);
    sigaddset(&some, SIGUSR2);
    sigaddset(&some, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &some, NULL);
    if (reaper)
        pthread_create(&thread, NULL, reap_everything, NULL);
    sigdelset(&some, SIGUSR1);
    sigdelset(&some, SIGUSR2);
    pthread_sigmask(SIG_UNBLOCK, &some, NULL);
    raise(SIGUSR1);
    if (strcmp(situation, "interrupted") == 0) {
        struct itimerval often = {{0, 2000}, {0, 2000}};
        sigaction(SIGALRM, &action, NULL);
        setitimer(ITIMER_REAL, &often, NULL);
    }
    probe_every_kind(argv[1], !unknown);
    scan_every_kind(argv[1], !unknown);

    /* The host's own SIGPIPE: handled, blocked and pending. */
    sigaction(SIGPIPE, &action, NULL);
    probe_every_kind(argv[1], !unknown);
    scan_every_kind(argv[1], !unknown);
    sigemptyset(&some);
    sigaddset(&some, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &some, NULL);
    raise(SIGPIPE);
    probe_every_kind(argv[1], !unknown);
    scan_every_kind(argv[1], !unknown);

    CHECK(terminated == 0 && piped == 0);
    CHECK(ignored || died > 0);
    CHECK(strcmp(situation, "interrupted") != 0 || alarmed > 100);
    /* A host that reaps every child may do so just before the signal is sent: that is the limit that is stated. */
    CHECK(signalled > 0 && (foreign == 0 || reaper));
    CHECK(lives(bystander));
    kill(bystander, SIGKILL);
    return failures != 0;
}
