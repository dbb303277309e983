/* Keeps the server of a probe, asks it for its tools, and prints its era, the answer and how it ended, a line each:
 * kept DISCOVER_TIMEOUT_MS COMMAND [ARGUMENT]... */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "mcp_discover.h"

#define MODERN                                                                                                         \
    "{\"jsonrpc\":\"2.0\",\"id\":\"interop-tools\",\"method\":\"tools/list\",\"params\":{\"_meta\":{"                          \
    "\"io.modelcontextprotocol/protocolVersion\":\"%s\","                                                              \
    "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"interop\",\"version\":\"1.0.0\"},"                             \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}}}\n"
#define LEGACY "{\"jsonrpc\":\"2.0\",\"id\":\"interop-tools\",\"method\":\"tools/list\"}\n"

/* Reads what the library has read and then what comes, up to the line that answers; the caller frees it. */
static char *answer(const mcpd_connection *connection)
{
    size_t length = connection->unread_length, room = length + 65536, start = 0, end;
    char *text = malloc(room);
    if (length > 0)
        memcpy(text, connection->unread, length);
    for (end = 0;; end++) {
        if (end == length) {
            ssize_t count;
            if (room - length < 4096)
                text = realloc(text, room *= 2);
            count = read(connection->stdout_fd, text + length, 4096);
            if (count <= 0) {
                free(text);
                return NULL;
            }
            length += (size_t)count;
        }
        if (text[end] != '\n')
            continue;
        text[end] = '\0';
        if (strstr(text + start, "\"interop-tools\"") != NULL) {
            memmove(text, text + start, end - start + 1);
            return text;
        }
        start = end + 1;
    }
}

static int fail(mcpd_error *error)
{
    fprintf(stderr, "kept: %s\n", error->message.ptr);
    mcpd_error_free(error);
    return 1;
}

int main(int argc, char **argv)
{
    mcpd_probe_options options = {0};
    mcpd_connection *connection;
    mcpd_verdict *verdict;
    mcpd_error *error;
    char *tools;

    if (argc < 3)
        return 2;
    options.struct_size = sizeof options;
    options.argv = (const char *const *)(argv + 2);
    options.discover_timeout_ms = atol(argv[1]);
    options.timeout_ms = 120000;
    options.grace_ms = 30000;
    options.stderr_mode = MCPD_STDERR_INHERIT;
    if (mcpd_connection_open(&options, NULL, &connection, &verdict, &error) != MCPD_OK)
        return fail(error);
    if (connection == NULL) {
        fprintf(stderr, "kept: no connection: %s\n", verdict->summary.ptr);
        mcpd_verdict_free(verdict);
        return 1;
    }
    printf("%s\n", mcpd_era_name(connection->era));
    mcpd_verdict_free(verdict);

    if (connection->era == MCPD_ERA_MODERN)
        dprintf(connection->stdin_fd, MODERN, connection->version.ptr);
    else
        dprintf(connection->stdin_fd, LEGACY);
    tools = answer(connection);
    printf("%s\n", tools == NULL ? "null" : tools);
    free(tools);

    if (mcpd_connection_close(connection, options.grace_ms, NULL, &error) != MCPD_OK)
        return fail(error);
    printf("%s %d\n", mcpd_shutdown_name(connection->shutdown), (int)connection->exit_value);
    mcpd_connection_free(connection);
    return 0;
}
