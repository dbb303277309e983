/* Nothing is left of many connections, however they end, and nothing is there while one waits: host_kept SERVER COUNT. */
#include "host.h"

static mcpd_verdict *opened(const char *server, const char *mode, const mcpd_verdict *prior, mcpd_connection **connection)
{
    const char *argv[] = {server, mode, "kept", NULL};
    mcpd_probe_options options = patient(argv);
    mcpd_verdict *verdict = NULL;
    CHECK(mcpd_connection_open(&options, prior, connection, &verdict, NULL) == MCPD_OK);
    return verdict;
}

/* Ends the connection in one of several ways. */
static void end(mcpd_connection *connection, long way)
{
    pid_t pid = (pid_t)connection->pid;
    if (way == 0)
        CHECK(mcpd_connection_close(connection, 5000, NULL, NULL) == MCPD_OK);
    if (way == 1) {
        CHECK(mcpd_connection_release(connection, NULL) == MCPD_OK);
        close(connection->stdin_fd);
        close(connection->stdout_fd);
        close(connection->stderr_fd);
        CHECK(waitpid(pid, NULL, 0) == pid);
    }
    mcpd_connection_free(connection);
}

int main(int argc, char **argv)
{
    const char *server = argc > 1 ? argv[1] : "";
    long count = strtol(argc > 2 ? argv[2] : "", NULL, 10);
    int fds = 0, tasks = 0;
    long halfway = 0;
    mcpd_connection *connection;
    mcpd_verdict *prior = opened(server, "good", NULL, &connection);
    mcpd_connection_free(connection);
    for (long i = -12; i < count; i++) {
        if (i == 0) {
            fds = descriptors();
            tasks = threads();
        }
        if (i == count / 2)
            halfway = status_kb("VmRSS:");
        int with_prior = (i + 12) % 6 >= 3;
        mcpd_verdict *verdict = opened(server, "good", with_prior ? prior : NULL, &connection);
        CHECK(is_modern(verdict, "kept") && connection != NULL);
        CHECK(threads() == 1 && lives((pid_t)connection->pid));
        CHECK(i < 0 || descriptors() == fds + 3);
        end(connection, (i + 12) % 3);
        mcpd_verdict_free(verdict);
        CHECK(!has_child());
    }
    /* A server that dies on discover, and one that cannot be started. */
    mcpd_verdict *verdict = opened(server, "dying", NULL, &connection);
    CHECK(connection == NULL && verdict->era == MCPD_ERA_UNKNOWN);
    mcpd_verdict_free(verdict);
    const char *missing[] = {"/no/such/command", NULL};
    mcpd_probe_options options = patient(missing);
    CHECK(mcpd_connection_open(&options, prior, &connection, &verdict, NULL) == MCPD_COMMAND_NOT_FOUND);
    CHECK(connection == NULL && verdict == NULL);
    mcpd_verdict_free(prior);
    CHECK(!has_child() && descriptors() == fds && threads() == tasks && tasks == 1);
    long grown = status_kb("VmRSS:") - halfway;
    printf("%ld connections, %d descriptors, %d thread, %+ld kB since half time\n", count, fds, tasks, grown);
    CHECK(grown < 256 || SANITIZED);
    return failures != 0;
}
