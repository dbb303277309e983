/* Servers that are kept, and servers over descriptors that the program has opened. */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

/* A line of a server that has seen what a client of its era sends, and nothing else, answers tools/list. */
#define SERVER(discover, initialize, open) \
    "log='{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}'\n" \
    "seen=\n" \
    "while read -r line; do case $line in\n" \
    "*server/discover*) seen=\"$seen discover\"; " discover ";;\n" \
    "*'\"initialize\"'*) seen=\"$seen initialize\"; " initialize ";;\n" \
    "*notifications/initialized*) seen=\"$seen initialized\";;\n" \
    "*tools/list*) [ \"$seen\" = \"" open "\" ] && echo '{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"tools\":[]}}' " \
    "|| echo \"seen:$seen\";;\n" \
    "esac; done; exit 5"
#define DISCOVERED \
    "printf '%s\\n%s\\n%s' '{\"jsonrpc\":\"2.0\",\"id\":\"discover-1\",\"result\":{\"supportedVersions\":[\"2026-07-28\"]}}' " \
    "\"$log\" '{\"jsonrpc\":'; sleep 0.1; echo '\"2.0\",\"method\":\"notifications/message\"}'"
#define REFUSED(id) "echo '{\"jsonrpc\":\"2.0\",\"id\":\"" id "\",\"error\":{\"code\":-32601,\"message\":\"no\"}}'"
#define INITIALIZED(id) \
    "printf '%s\\n' '{\"jsonrpc\":\"2.0\",\"id\":\"" id "\",\"result\":{\"protocolVersion\":\"2025-06-18\"," \
    "\"capabilities\":{}}}' \"$log\" \"$log\""

static const char modern_server[] = SERVER(DISCOVERED, REFUSED("initialize-1"), " discover");
static const char old_modern_server[] = SERVER(DISCOVERED, REFUSED("initialize-1"), "");
static const char legacy_server[] = SERVER(REFUSED("discover-1"), INITIALIZED("initialize-1"), " initialize initialized");

static mcpd_probe_options options_for(const char *const *argv)
{
    mcpd_probe_options options = {0};
    options.struct_size = sizeof options;
    options.argv = argv;
    options.timeout_ms = 60000;
    options.discover_timeout_ms = 60000;
    options.grace_ms = 20000;
    options.stderr_mode = MCPD_STDERR_INHERIT;
    return options;
}

static int waits_and_closes_on_exec(int fd)
{
    return (fcntl(fd, F_GETFL) & O_NONBLOCK) == 0 && (fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0;
}

static int is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

/* Asks for the tools; what comes up to the answer, the unread first, is so many lines. */
static void ask_for_tools(const mcpd_connection *connection, int lines)
{
    static const char request[] = "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/list\"}\n";
    static char text[4096];
    size_t length = connection->unread_length;
    int count = 0;
    CHECK(length < sizeof text);
    if (length > 0)
        memcpy(text, connection->unread, length);
    CHECK(write(connection->stdin_fd, request, sizeof request - 1) == (ssize_t)sizeof request - 1);
    text[length] = 0;
    while (strstr(text, "\"id\":7") == NULL && strstr(text, "seen:") == NULL) {
        ssize_t got = read(connection->stdout_fd, text + length, sizeof text - 1 - length);
        if (got <= 0)
            break;
        text[length += (size_t)got] = 0;
    }
    char *line = strtok(text, "\n");
    for (; line != NULL; line = strtok(NULL, "\n"), count++)
        CHECK(strncmp(line, "{\"jsonrpc\":\"2.0\",", 17) == 0 && line[strlen(line) - 1] == '}');
    CHECK(count == lines);
}

static mcpd_verdict *open_server(const char *server, const mcpd_verdict *prior, mcpd_connection **connection)
{
    const char *argv[] = {"/bin/sh", "-c", server, NULL};
    mcpd_probe_options options = options_for(argv);
    mcpd_verdict *verdict = NULL;
    mcpd_error *error = NULL;
    CHECK(mcpd_connection_open(&options, prior, connection, &verdict, &error) == MCPD_OK && error == NULL);
    CHECK(*connection != NULL && (*connection)->struct_size == sizeof **connection);
    CHECK((*connection)->reserved == 0 && (*connection)->pid > 0);
    CHECK((*connection)->stderr_fd == -1);
    CHECK(waits_and_closes_on_exec((*connection)->stdin_fd) && waits_and_closes_on_exec((*connection)->stdout_fd));
    const mcpd_process *last = verdict->processes[verdict->processes_count - 1];
    CHECK(last->shutdown == MCPD_SHUTDOWN_KEPT && last->exit_kind == MCPD_EXIT_UNKNOWN);
    return verdict;
}

static void check_closed(mcpd_connection *connection)
{
    int in = connection->stdin_fd, out = connection->stdout_fd;
    mcpd_error *error = NULL;
    CHECK(mcpd_connection_close(connection, 20000, NULL, &error) == MCPD_OK && error == NULL);
    CHECK(connection->exit_kind == MCPD_EXIT_CODE && connection->exit_value == 5);
    CHECK(connection->shutdown == MCPD_SHUTDOWN_STDIN_CLOSED);
    CHECK(connection->stdin_fd == -1 && connection->stdout_fd == -1 && connection->stderr_fd == -1);
    CHECK(!is_open(in) && !is_open(out));
    CHECK(waitpid((pid_t)connection->pid, NULL, 0) == -1 && errno == ECHILD);
    CHECK(mcpd_connection_close(connection, 0, NULL, &error) == MCPD_INVALID_ARGUMENT);
    CHECK(is(error->argument, "connection") && strstr(error->message.ptr, "closed or released") != NULL);
    mcpd_error_free(error);
    mcpd_connection_free(connection);
}

static void kept(void)
{
    mcpd_connection *connection = NULL;
    mcpd_verdict *modern = open_server(modern_server, NULL, &connection);
    CHECK(modern->era == MCPD_ERA_MODERN && modern->starts == 1);
    CHECK(connection->era == MCPD_ERA_MODERN && is(connection->version, "2026-07-28"));
    CHECK(connection->unread_length > 0);
    ask_for_tools(connection, 3);
    check_closed(connection);

    mcpd_verdict *legacy = open_server(legacy_server, NULL, &connection);
    CHECK(legacy->era == MCPD_ERA_LEGACY && legacy->storable && legacy->starts == 2);
    CHECK(legacy->processes[0]->shutdown == MCPD_SHUTDOWN_STDIN_CLOSED);
    CHECK(connection->era == MCPD_ERA_LEGACY && is(connection->version, "2025-06-18"));
    ask_for_tools(connection, 3);
    check_closed(connection);

    /* A verdict from before: nothing is asked of a modern server, initialize of a legacy one. */
    mcpd_verdict *again = open_server(old_modern_server, modern, &connection);
    CHECK(again->received_at_ms == modern->received_at_ms && again->storable && again->starts == 1);
    CHECK(connection->unread == NULL && connection->unread_length == 0);
    ask_for_tools(connection, 1);
    check_closed(connection);
    mcpd_verdict_free(again);
    again = open_server(legacy_server, legacy, &connection);
    CHECK(again->storable && again->starts == 1 && again->initialize != NULL && again->discover_error != NULL);
    ask_for_tools(connection, 3);
    check_closed(connection);
    mcpd_verdict_free(again);

    /* It is another server by now. */
    again = open_server(modern_server, legacy, &connection);
    CHECK(again->era == MCPD_ERA_MODERN && again->starts == 2);
    CHECK(again->remarks_count > 0 && again->remarks[0]->code == MCPD_REMARK_STALE_VERDICT);
    ask_for_tools(connection, 3);
    check_closed(connection);
    mcpd_verdict_free(again);
    mcpd_verdict_free(legacy);
    mcpd_verdict_free(modern);
}

static void not_kept(void)
{
    const char *argv[] = {"/bin/sh", "-c", "read -r line", NULL};
    mcpd_probe_options options = options_for(argv);
    mcpd_connection *connection = (mcpd_connection *)&options;
    mcpd_verdict *verdict;
    CHECK(mcpd_connection_open(&options, NULL, &connection, &verdict, NULL) == MCPD_OK);
    CHECK(connection == NULL && verdict->next == MCPD_NEXT_GIVE_UP && verdict->starts == 2);
    mcpd_verdict_free(verdict);
}

static void taken_over(void)
{
    mcpd_connection *connection;
    mcpd_verdict_free(open_server(modern_server, NULL, &connection));
    pid_t pid = (pid_t)connection->pid;
    int in = connection->stdin_fd, out = connection->stdout_fd, status = -1;
    CHECK(mcpd_connection_release(connection, NULL) == MCPD_OK);
    CHECK(mcpd_connection_release(connection, NULL) == MCPD_INVALID_ARGUMENT);
    CHECK(mcpd_connection_close(connection, 0, NULL, NULL) == MCPD_INVALID_ARGUMENT);
    ask_for_tools(connection, 3);
    mcpd_connection_free(connection);
    CHECK(is_open(in) && is_open(out) && kill(pid, 0) == 0);
    close(in);
    close(out);
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 5);
}

/* What is neither closed nor released ends when it is freed; in a forked child it is the parent's. */
static void freed(void)
{
    const char *argv[] = {"/bin/sh", "-c", modern_server, NULL};
    mcpd_probe_options options = options_for(argv);
    mcpd_connection *connection;
    mcpd_verdict *verdict;
    int status = -1;
    options.stderr_mode = MCPD_STDERR_CAPTURE;
    CHECK(mcpd_connection_open(&options, NULL, &connection, &verdict, NULL) == MCPD_OK);
    mcpd_verdict_free(verdict);
    CHECK(waits_and_closes_on_exec(connection->stderr_fd));
    int fds[] = {connection->stdin_fd, connection->stdout_fd, connection->stderr_fd};
    pid_t pid = (pid_t)connection->pid;
    pid_t child = fork();
    if (child == 0) {
        CHECK(mcpd_connection_close(connection, 0, NULL, NULL) == MCPD_WRONG_PROCESS);
        CHECK(mcpd_connection_release(connection, NULL) == MCPD_WRONG_PROCESS);
        mcpd_connection_free(connection);
        for (int i = 0; i < 3; i++)
            CHECK(!is_open(fds[i]));
        exit(failures != 0);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    ask_for_tools(connection, 3);
    mcpd_connection_free(connection);
    for (int i = 0; i < 3; i++)
        CHECK(!is_open(fds[i]));
    CHECK(waitpid(pid, NULL, 0) == -1 && errno == ECHILD);
}

/* Starts a server whose standard input and output are these. */
static pid_t start(const char *server, int in, int out)
{
    pid_t pid = fork();
    if (pid == 0) {
        dup2(in, 0);
        dup2(out, 1);
        for (int fd = 3; fd < 32; fd++)
            close(fd);
        execl("/bin/sh", "sh", "-c", server, (char *)NULL);
        _exit(127);
    }
    return pid;
}

/* Both ends of a connection of this kind: what the client writes to and reads from, then the server. */
static void connect_by(const char *kind, int fds[4])
{
    int pair[2], back[2];
    if (strcmp(kind, "pipes") == 0) {
        CHECK(pipe(pair) == 0 && pipe(back) == 0);
        fds[0] = pair[1], fds[1] = back[0], fds[2] = pair[0], fds[3] = back[1];
        return;
    }
    if (strcmp(kind, "socketpair") == 0) {
        CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    } else {
        struct sockaddr_in tcp = {0};
        struct sockaddr_un local = {0};
        socklen_t length = sizeof tcp;
        int is_tcp = strcmp(kind, "tcp") == 0;
        struct sockaddr *address = is_tcp ? (struct sockaddr *)&tcp : (struct sockaddr *)&local;
        tcp.sin_family = AF_INET;
        tcp.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        local.sun_family = AF_UNIX;
        snprintf(local.sun_path, sizeof local.sun_path, "/tmp/mcpd-test-%d.socket", (int)getpid());
        int listener = socket(is_tcp ? AF_INET : AF_UNIX, SOCK_STREAM, 0);
        CHECK(bind(listener, address, is_tcp ? sizeof tcp : sizeof local) == 0 && listen(listener, 1) == 0);
        if (is_tcp)
            CHECK(getsockname(listener, address, &length) == 0);
        pair[0] = socket(is_tcp ? AF_INET : AF_UNIX, SOCK_STREAM, 0);
        CHECK(connect(pair[0], address, is_tcp ? sizeof tcp : sizeof local) == 0);
        pair[1] = accept(listener, NULL, NULL);
        close(listener);
        if (!is_tcp)
            unlink(local.sun_path);
    }
    fds[0] = fds[1] = pair[0], fds[2] = fds[3] = pair[1];
}

/* A talk with a server over a connection of this kind; the server has ended afterwards. */
static void talk(const char *kind, const char *server, const mcpd_verdict *prior, int keeps, mcpd_verdict **verdict)
{
    int fds[4], status = -1;
    connect_by(kind, fds);
    pid_t pid = start(server, fds[2], fds[3]);
    close(fds[2]);
    if (fds[3] != fds[2])
        close(fds[3]);
    mcpd_probe_options options = options_for(NULL);
    mcpd_connection *connection = NULL;
    mcpd_error *error = NULL;
    int other_flags = fcntl(fds[0], F_GETFL);
    CHECK(mcpd_probe_descriptors(&options, fds[0], fds[1], prior, keeps ? &connection : NULL, verdict, &error) == MCPD_OK);
    CHECK(error == NULL && fcntl(fds[0], F_GETFL) == other_flags && (fcntl(fds[1], F_GETFL) & O_NONBLOCK) == 0);
    CHECK((*verdict)->processes_count == 1 && (*verdict)->processes[0]->shutdown == MCPD_SHUTDOWN_NONE);
    CHECK((*verdict)->processes[0]->exit_kind == MCPD_EXIT_UNKNOWN);
    if (connection != NULL) {
        CHECK(connection->pid == 0 && connection->stdin_fd == fds[0] && connection->stdout_fd == fds[1]);
        ask_for_tools(connection, server == old_modern_server ? 1 : 3);
        if (prior == NULL)
            CHECK(mcpd_connection_close(connection, 0, NULL, &error) == MCPD_OK && connection->stdin_fd == -1);
        mcpd_connection_free(connection);
    }
    CHECK((connection != NULL) == (keeps && ((*verdict)->era == MCPD_ERA_MODERN || prior != NULL)));
    CHECK(is_open(fds[0]) && is_open(fds[1]));
    close(fds[0]);
    if (fds[1] != fds[0])
        close(fds[1]);
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 5);
}

static void own_descriptors(void)
{
    static const char *const kinds[] = {"pipes", "socketpair", "unix", "tcp"};
    for (int i = 0; i < 4; i++) {
        mcpd_verdict *modern, *legacy, *again;
        talk(kinds[i], modern_server, NULL, 1, &modern);
        CHECK(modern->next == MCPD_NEXT_USE_MODERN && modern->storable);
        talk(kinds[i], old_modern_server, modern, 1, &again);
        CHECK(again->next == MCPD_NEXT_USE_MODERN && again->storable);
        mcpd_verdict_free(again);
        mcpd_verdict_free(modern);

        talk(kinds[i], legacy_server, NULL, 0, &legacy);
        CHECK(legacy->next == MCPD_NEXT_INITIALIZE && legacy->confirmed && legacy->initialize != NULL);
        mcpd_verdict_free(legacy);
        talk(kinds[i], legacy_server, NULL, 1, &legacy);
        CHECK(legacy->era == MCPD_ERA_LEGACY && legacy->next == MCPD_NEXT_INITIALIZE && !legacy->confirmed);
        talk(kinds[i], legacy_server, legacy, 1, &again);
        CHECK(again->confirmed && again->storable && is(again->version, "2025-06-18"));
        mcpd_verdict_free(again);
        mcpd_verdict_free(legacy);
    }
}

/* The other end is gone: a verdict, and no signal. */
static void gone(void)
{
    int pair[2];
    mcpd_probe_options options = options_for(NULL);
    mcpd_verdict *verdict;
    signal(SIGPIPE, SIG_DFL);
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    close(pair[1]);
    CHECK(mcpd_probe_descriptors(&options, pair[0], pair[0], NULL, NULL, &verdict, NULL) == MCPD_OK);
    CHECK(verdict->era == MCPD_ERA_UNKNOWN && verdict->discover_outcome == MCPD_OUTCOME_STDOUT_CLOSED);
    mcpd_verdict_free(verdict);
    close(pair[0]);
}

/* A call that is cancelled leaves descriptors that do not wait as they were. */
static void cancelled(void)
{
    int pair[2];
    mcpd_probe_options options = options_for(NULL);
    mcpd_verdict *verdict;
    mcpd_cancel *cancel;
    CHECK(mcpd_cancel_new(&cancel, NULL) == MCPD_OK);
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    CHECK(fcntl(pair[0], F_SETFL, O_NONBLOCK) == 0);
    options.cancel = cancel;
    options.timeout_ms = 50;
    CHECK(mcpd_probe_descriptors(&options, pair[0], pair[0], NULL, NULL, &verdict, NULL) == MCPD_OK);
    CHECK(verdict->discover_outcome == MCPD_OUTCOME_SILENCE);
    mcpd_verdict_free(verdict);
    CHECK(mcpd_cancel_fire(cancel) == MCPD_OK);
    CHECK(mcpd_probe_descriptors(&options, pair[0], pair[0], NULL, NULL, &verdict, NULL) == MCPD_CANCELLED);
    CHECK((fcntl(pair[0], F_GETFL) & O_NONBLOCK) != 0);

    /* It makes a close hurry. */
    const char *argv[] = {"/bin/sh", "-c", "trap '' TERM; read -r line; echo '{\"jsonrpc\":\"2.0\",\"id\":\"discover-1\","
                                           "\"result\":{\"supportedVersions\":[\"2026-07-28\"]}}'; exec sleep 100", NULL};
    mcpd_connection *connection;
    options = options_for(argv);
    CHECK(mcpd_connection_open(&options, NULL, &connection, &verdict, NULL) == MCPD_OK);
    mcpd_verdict_free(verdict);
    CHECK(mcpd_connection_close(connection, 80000000, cancel, NULL) == MCPD_OK);
    CHECK(connection->shutdown == MCPD_SHUTDOWN_KILLED && connection->exit_kind == MCPD_EXIT_SIGNAL);
    CHECK(connection->exit_value == SIGKILL);
    mcpd_connection_free(connection);
    mcpd_cancel_free(cancel);
    close(pair[0]);
    close(pair[1]);
}

int main(void)
{
    kept();
    not_kept();
    taken_over();
    freed();
    own_descriptors();
    gone();
    cancelled();
    return failures != 0;
}
