/* Asks a server at the other end of a connection what it is, as one would with a container's pipes: over_tcp HOST PORT */
#define _POSIX_C_SOURCE 200809L
#include <netdb.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mcp_discover.h"

static int connect_to(const char *host, const char *port)
{
    struct addrinfo hints = {0}, *addresses, *address;
    int fd = -1;
    hints.ai_socktype = SOCK_STREAM;
    if (getaddrinfo(host, port, &hints, &addresses) != 0)
        return -1;
    for (address = addresses; address != NULL && fd < 0; address = address->ai_next) {
        fd = socket(address->ai_family, address->ai_socktype, address->ai_protocol);
        if (fd >= 0 && connect(fd, address->ai_addr, address->ai_addrlen) != 0) {
            close(fd);
            fd = -1;
        }
    }
    freeaddrinfo(addresses);
    return fd;
}

int main(int argc, char **argv)
{
    mcpd_probe_options options = {0};
    mcpd_verdict *verdict;
    mcpd_error *error;
    mcpd_text *summary;
    mcpd_status status;
    int fd;
    if (argc != 3) {
        fprintf(stderr, "usage: over_tcp HOST PORT\n");
        return 2;
    }
    fd = connect_to(argv[1], argv[2]);
    if (fd < 0) {
        fprintf(stderr, "over_tcp: cannot connect to %s, port %s\n", argv[1], argv[2]);
        return 1;
    }
    options.struct_size = sizeof options;
    options.timeout_ms = 10000;
    /* A socket is written to and read from by the same descriptor; pipes have two. */
    status = mcpd_probe_descriptors(&options, fd, fd, NULL, NULL, &verdict, &error);
    close(fd);
    if (status != MCPD_OK) {
        fprintf(stderr, "over_tcp: %s\n", error->message.ptr);
        mcpd_error_free(error);
        return 1;
    }
    printf("era:  %s\n", mcpd_era_name(verdict->era));
    printf("next: %s %s\n", mcpd_next_name(verdict->next),
           verdict->version.ptr != NULL ? verdict->version.ptr : "");
    if (mcpd_text_printable(verdict->summary.ptr, verdict->summary.len, &summary, NULL) == MCPD_OK) {
        printf("why:  %s\n", summary->text.ptr);
        mcpd_text_free(summary);
    }
    mcpd_verdict_free(verdict);
    return 0;
}
