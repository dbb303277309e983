/* Opens a connection to an MCP server, asks it for its tools over the same pipes, and ends it: connect COMMAND [ARGUMENT]... */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mcp_discover.h"

/* A modern request says in _meta who asks; a legacy server was told so by initialize. */
static const char modern_request[] =
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"_meta\":{"
    "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
    "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"connect\",\"version\":\"1\"},"
    "\"io.modelcontextprotocol/clientCapabilities\":{}}}}\n";
static const char legacy_request[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n";

/* Prints what the server writes up to its answer; a program of yours reads it as JSON. */
static void print_answer(const mcpd_connection *connection)
{
    char line[65536];
    size_t length = connection->unread_length < sizeof line ? connection->unread_length : 0;
    if (length > 0) /* what the library has read already comes first */
        memcpy(line, connection->unread, length);
    for (;;) {
        char *end = memchr(line, '\n', length);
        if (end != NULL) {
            size_t used = (size_t)(end - line) + 1;
            *end = 0;
            mcpd_text *text;
            if (mcpd_text_printable(line, used - 1, &text, NULL) == MCPD_OK)
                puts(text->text.ptr);
            mcpd_text_free(text);
            if (strstr(line, "\"id\":1,") != NULL || strstr(line, "\"id\": 1,") != NULL)
                return;
            memmove(line, line + used, length -= used);
            continue;
        }
        ssize_t got = read(connection->stdout_fd, line + length, sizeof line - length);
        if (got <= 0)
            return;
        length += (size_t)got;
    }
}

int main(int argc, char **argv)
{
    mcpd_probe_options options = {0};
    options.struct_size = sizeof options;
    options.argv = (const char *const *)argv + 1;
    options.stderr_mode = MCPD_STDERR_INHERIT; /* nobody has to read it then */
    if (argc < 2) {
        fprintf(stderr, "usage: connect COMMAND [ARGUMENT]...\n");
        return 2;
    }
    mcpd_connection *connection;
    mcpd_verdict *verdict;
    mcpd_error *error;
    if (mcpd_connection_open(&options, NULL, &connection, &verdict, &error) != MCPD_OK) {
        fprintf(stderr, "connect: %s\n", error->message.ptr);
        mcpd_error_free(error);
        return 1;
    }
    printf("%s\n", verdict->summary.ptr);
    mcpd_verdict_free(verdict);
    if (connection == NULL)
        return 3;
    int is_modern = connection->era == MCPD_ERA_MODERN;
    const char *request = is_modern ? modern_request : legacy_request;
    printf("connected: %s, process %ld\n", connection->version.ptr, (long)connection->pid);
    if (write(connection->stdin_fd, request, strlen(request)) == (ssize_t)strlen(request))
        print_answer(connection);
    if (mcpd_connection_close(connection, 0, NULL, &error) != MCPD_OK) {
        fprintf(stderr, "connect: %s\n", error->message.ptr);
        mcpd_error_free(error);
    }
    printf("ended: %s\n", mcpd_shutdown_name(connection->shutdown));
    mcpd_connection_free(connection);
    return 0;
}
