/* Asks a server over HTTP what it is: http HOST PORT PATH, without TLS. The HTTP client here is a socket and HTTP/1.0;
 * a real program has a better one, and calls the library in the same places. */
#define _POSIX_C_SOURCE 200112L
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mcp_discover.h"

static void fail(const char *what)
{
    fprintf(stderr, "http: %s\n", what);
    exit(1);
}

static FILE *connect_to(const char *host, const char *port)
{
    struct addrinfo hints = {0}, *address;
    hints.ai_socktype = SOCK_STREAM;
    if (getaddrinfo(host, port, &hints, &address) != 0)
        fail("no such host");
    int fd = socket(address->ai_family, address->ai_socktype, address->ai_protocol);
    if (fd < 0 || connect(fd, address->ai_addr, address->ai_addrlen) != 0)
        fail("cannot connect");
    freeaddrinfo(address);
    FILE *connection = fdopen(fd, "r+");
    if (connection == NULL)
        fail("no memory");
    return connection;
}

/* Sends the request. Nothing in it can end a line before its time: the library has seen to that. */
static void send_post(FILE *connection, char **argv, const mcpd_http_post *post)
{
    fprintf(connection, "POST %s HTTP/1.0\r\nHost: %s:%s\r\nContent-Length: %zu\r\n", argv[3], argv[1], argv[2],
            post->body.len);
    for (size_t i = 0; i < post->headers_count; i++)
        fprintf(connection, "%s: %s\r\n", post->headers[i].name.ptr, post->headers[i].value.ptr);
    fprintf(connection, "\r\n%s", post->body.ptr);
    fflush(connection);
}

/* Feeds the response, as it arrives, up to its end or to where it is enough. */
static void receive(FILE *connection, mcpd_http *http)
{
    static char line[8192], type[8192];
    int status = 0;
    type[0] = '\0';
    if (fgets(line, sizeof line, connection) == NULL || sscanf(line, "HTTP/%*s %d", &status) != 1)
        fail("no HTTP response");
    while (fgets(line, sizeof line, connection) != NULL && line[0] != '\r' && line[0] != '\n')
        if (strncasecmp(line, "Content-Type:", 13) == 0)
            sscanf(line + 13, " %[^\r\n]", type);

    mcpd_error *error;
    if (mcpd_http_status(http, status, type[0] != '\0' ? type : NULL, &error) != MCPD_OK)
        fail(error->message.ptr);
    for (int32_t enough = 0; !enough;) {
        size_t length = 0;
        int byte;
        while (length < sizeof line && (byte = getc(connection)) != EOF) {
            line[length++] = (char)byte;
            if (byte == '\n')
                break;
        }
        if (length == 0)
            break;
        if (mcpd_http_feed(http, line, length, &enough, &error) != MCPD_OK)
            fail(error->message.ptr);
    }
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: http HOST PORT PATH\n");
        return 2;
    }
    mcpd_http *http;
    mcpd_verdict *verdict = NULL;
    mcpd_error *error;
    mcpd_status status = mcpd_http_new(NULL, &http, &error);
    while (status == MCPD_OK && verdict == NULL) {
        const mcpd_http_post *post;
        status = mcpd_http_request(http, &post, &error);
        if (status != MCPD_OK)
            break;
        FILE *connection = connect_to(argv[1], argv[2]);
        send_post(connection, argv, post);
        receive(connection, http);
        fclose(connection);
        status = mcpd_http_verdict(http, &verdict, &error);
    }
    mcpd_http_free(http);
    if (status != MCPD_OK)
        fail(error->message.ptr);

    printf("%s, %s", mcpd_era_name(verdict->era), mcpd_next_name(verdict->next));
    if (verdict->version.ptr != NULL)
        printf(" %s", verdict->version.ptr);
    mcpd_text *summary;
    if (mcpd_text_printable(verdict->summary.ptr, verdict->summary.len, &summary, NULL) == MCPD_OK) {
        printf("\n%s\n", summary->text.ptr);
        mcpd_text_free(summary);
    }
    mcpd_verdict_free(verdict);
    return 0;
}
