/* The system calls of a probe by the library, in its order, and nothing else: what they take, and what its code takes.
 *
 *     calls SERVER
 */
#define main floor_main
#include "floor.c"
#undef main

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* What tokio's runtime waits with. */
struct runtime {
    int epoll, copy, bell;
};

static void watch(const struct runtime *runtime, int fd)
{
    struct epoll_event event = {EPOLLIN | EPOLLRDHUP | EPOLLET, {.fd = fd}};
    check(epoll_ctl(runtime->copy, EPOLL_CTL_ADD, fd, &event) == 0, "EPOLL_CTL_ADD");
}

static void forget(const struct runtime *runtime, int fd)
{
    check(epoll_ctl(runtime->copy, EPOLL_CTL_DEL, fd, NULL) == 0, "EPOLL_CTL_DEL");
}

static struct runtime build(void)
{
    struct runtime runtime = {epoll_create1(EPOLL_CLOEXEC), -1, eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    runtime.copy = fcntl(runtime.epoll, F_DUPFD_CLOEXEC, 3);
    watch(&runtime, runtime.bell);
    return runtime;
}

static void end(const struct runtime *runtime)
{
    close(runtime->epoll);
    close(runtime->copy);
    close(runtime->bell);
}

/* A timer rings the bell when it is set. */
static void set_timer(const struct runtime *runtime)
{
    uint64_t one = 1;
    check(write(runtime->bell, &one, sizeof one) == sizeof one, "the bell");
}

static void wait_for(const struct runtime *runtime, int fd)
{
    for (;;) {
        struct epoll_event events[16];
        int count = epoll_wait(runtime->epoll, events, 16, 30000);
        check(count > 0, "epoll_wait");
        for (int i = 0; i < count; i++)
            if (events[i].data.fd == fd)
                return;
    }
}

static void find(const char *program)
{
    struct stat status;
    check(stat(program, &status) == 0 && faccessat(AT_FDCWD, program, X_OK, AT_EACCESS) == 0, program);
}

static void do_not_block(int fd)
{
    int on = 1;
    check(ioctl(fd, FIONBIO, &on) == 0, "FIONBIO");
}

static void ask_shielded(const struct server *server)
{
    sigset_t only_sigpipe, before;
    sigemptyset(&only_sigpipe);
    sigaddset(&only_sigpipe, SIGPIPE);
    sigprocmask(SIG_BLOCK, &only_sigpipe, &before);
    ask(server);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

static char buffer[64 * 1024];

static ssize_t read_now(int fd)
{
    return read(fd, buffer, sizeof buffer);
}

static void look(pid_t pid, int options)
{
    siginfo_t info;
    check(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | options) == 0, "waitid");
}

static int64_t probe(const void *context, long times)
{
    char *const *argv = context;
    for (; times > 0; times--) {
        struct runtime runtime = build();
        struct server server;
        find(argv[0]);
        start(&server, (char **)argv);
        do_not_block(server.in);
        do_not_block(server.out);
        do_not_block(server.err);
        int pidfd = (int)syscall(SYS_pidfd_open, server.pid, 0);
        watch(&runtime, pidfd);
        ask_shielded(&server);
        set_timer(&runtime);
        check(read_now(server.err) < 0, "silence on standard error");
        watch(&runtime, server.err);
        ssize_t count = read_now(server.out);
        watch(&runtime, server.out);
        while (count <= 0 || buffer[count - 1] != '\n') {
            wait_for(&runtime, server.out);
            check(read_now(server.err) < 0, "silence on standard error");
            count = read_now(server.out);
            check(count > 0, "an answer");
        }
        look(server.pid, WNOWAIT);
        close(server.in);
        forget(&runtime, server.out);
        forget(&runtime, server.err);
        set_timer(&runtime);
        wait_for(&runtime, pidfd);
        look(server.pid, WNOWAIT);
        check(read_now(server.err) == 0 && close(server.err) == 0, "the end of standard error");
        check(read_now(server.out) == 0 && close(server.out) == 0, "the end of standard output");
        look(server.pid, WNOWAIT);
        kill(-server.pid, SIGKILL);
        look(server.pid, 0);
        forget(&runtime, pidfd);
        close(pidfd);
        end(&runtime);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    return run_rounds(probe, argv + 1);
}
