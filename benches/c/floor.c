/* The least that asking a server takes: three pipes, a process of its own group, a request, a line, an end.
 *
 *     floor OVERLAP SERVER [ARGUMENT]...
 *
 * It reads no JSON, knows no deadline, and would hang or die with a server that does not do as it should. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rounds.h"

#define MOST 64

static const char REQUEST[] =
    "{\"jsonrpc\":\"2.0\",\"id\":\"discover-1\",\"method\":\"server/discover\",\"params\":{\"_meta\":"
    "{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientInfo\":"
    "{\"name\":\"floor\",\"version\":\"1.0.0\"},\"io.modelcontextprotocol/clientCapabilities\":{}}}}\n";

extern char **environ;

struct server {
    pid_t pid;
    int in, out, err;
    int has_answered;
};

struct what {
    int overlap;
    char **argv;
};

static void start(struct server *server, char **argv)
{
    int in[2], out[2], err[2];
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    check(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0, "pipe2");
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    posix_spawn_file_actions_adddup2(&actions, err[1], 2);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    check(posix_spawn(&server->pid, argv[0], &actions, &attributes, argv, environ) == 0, argv[0]);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(in[0]);
    close(out[1]);
    close(err[1]);
    server->in = in[1];
    server->out = out[0];
    server->err = err[0];
    server->has_answered = 0;
}

static void ask(const struct server *server)
{
    check(write(server->in, REQUEST, sizeof REQUEST - 1) == sizeof REQUEST - 1, "write");
}

/* Reads what is there; whether a line is complete. */
static int read_line(struct server *server)
{
    char line[64 * 1024];
    ssize_t count = read(server->out, line, sizeof line);
    check(count > 0, "an answer");
    return line[count - 1] == '\n';
}

static void reap(struct server *server)
{
    int status;
    check(waitpid(server->pid, &status, 0) == server->pid && status == 0, "the server's end");
    close(server->out);
    close(server->err);
}

static int64_t one_after_the_other(char **argv, long times)
{
    int64_t answered = 0;
    for (; times > 0; times--) {
        struct server server;
        int64_t began;
        start(&server, argv);
        began = now();
        ask(&server);
        do {
            struct pollfd fds[] = {{server.out, POLLIN, 0}, {server.err, POLLIN, 0}};
            check(poll(fds, 2, 30000) > 0, "poll");
        } while (!read_line(&server));
        answered += now() - began;
        close(server.in);
        reap(&server);
    }
    return answered;
}

/* Several at once: the end of a server's output tells that it may be reaped. */
static int64_t side_by_side(char **argv, long times, int overlap)
{
    struct server servers[MOST];
    int running = 0;
    while (times > 0 || running > 0) {
        struct pollfd fds[MOST * 2];
        for (; times > 0 && running < overlap; times--) {
            start(&servers[running], argv);
            ask(&servers[running++]);
        }
        for (int i = 0; i < running; i++) {
            fds[2 * i] = (struct pollfd){servers[i].out, POLLIN, 0};
            fds[2 * i + 1] = (struct pollfd){servers[i].err, POLLIN, 0};
        }
        check(poll(fds, 2 * (nfds_t)running, 30000) > 0, "poll");
        for (int i = running - 1; i >= 0; i--) {
            if (fds[2 * i].revents == 0)
                continue;
            if (!servers[i].has_answered) {
                servers[i].has_answered = read_line(&servers[i]);
                if (servers[i].has_answered)
                    close(servers[i].in);
            } else {
                reap(&servers[i]);
                servers[i] = servers[--running];
            }
        }
    }
    return 0;
}

static int64_t run(const void *context, long times)
{
    const struct what *what = context;
    if (what->overlap == 1)
        return one_after_the_other(what->argv, times);
    return side_by_side(what->argv, times, what->overlap);
}

int main(int argc, char **argv)
{
    struct what what = {argc > 2 ? atoi(argv[1]) : 0, argv + 2};
    if (what.overlap < 1 || what.overlap > MOST)
        return 2;
    signal(SIGPIPE, SIG_IGN);
    return run_rounds(run, &what);
}
