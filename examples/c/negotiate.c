/* Asks a server behind a Unix socket what it is, as one would over SSH or to a container: negotiate SOCKET */
#define _POSIX_C_SOURCE 200809L
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "mcp_discover.h"

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

static int64_t milliseconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int64_t now_ms(void)
{
    return milliseconds(CLOCK_MONOTONIC);
}

static int connect_to(const char *path)
{
    struct sockaddr_un address = {0};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    address.sun_family = AF_UNIX;
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* Passes on what comes until the deadline; 0 once nothing comes any more. */
static int hear(mcpd_negotiation *negotiation, int fd, int64_t deadline_ms)
{
    char data[4096];
    struct pollfd ready = {0};
    int64_t left = deadline_ms - now_ms();
    ssize_t length;
    ready.fd = fd;
    ready.events = POLLIN;
    if (poll(&ready, 1, left > 0 ? (int)left : 0) <= 0)
        return deadline_ms > now_ms();
    length = recv(fd, data, sizeof data, 0);
    if (length > 0)
        mcpd_negotiation_received(negotiation, data, (size_t)length, now_ms(), NULL);
    return length > 0;
}

static int fail(mcpd_error *error)
{
    fprintf(stderr, "negotiate: %s\n", error->message.ptr);
    mcpd_error_free(error);
    return 1;
}

int main(int argc, char **argv)
{
    mcpd_negotiation *negotiation;
    mcpd_verdict *verdict;
    mcpd_error *error;
    mcpd_status status;
    mcpd_text *summary;
    int64_t deadline_ms;
    int fd = -1;
    if (argc != 2) {
        fprintf(stderr, "usage: negotiate SOCKET\n");
        return 2;
    }
    if (mcpd_negotiation_new(NULL, &negotiation, &error) != MCPD_OK)
        return fail(error);
    while (mcpd_negotiation_next(negotiation, now_ms(), NULL) == MCPD_OK &&
           negotiation->step != MCPD_STEP_FINISH) {
        switch (negotiation->step) {
        case MCPD_STEP_START:
            fd = connect_to(argv[1]);
            if (fd < 0) {
                perror(argv[1]);
                mcpd_negotiation_free(negotiation);
                return 1;
            }
            mcpd_negotiation_started(negotiation, now_ms(), NULL);
            break;
        case MCPD_STEP_SEND: /* So little fits into the socket's buffer; if it is gone, reading tells. */
            send(fd, negotiation->line.ptr, negotiation->line.len, MSG_NOSIGNAL);
            break;
        case MCPD_STEP_WAIT:
            deadline_ms = negotiation->deadline_ms;
            if (!hear(negotiation, fd, deadline_ms) && now_ms() < deadline_ms) {
                close(fd);
                mcpd_negotiation_closed(negotiation, MCPD_OUTCOME_STDOUT_CLOSED, now_ms(), NULL);
            }
            break;
        case MCPD_STEP_CLOSE: /* What still comes counts; two seconds are enough for it. */
            shutdown(fd, SHUT_WR);
            deadline_ms = now_ms() + 2000;
            while (hear(negotiation, fd, deadline_ms))
                continue;
            close(fd);
            mcpd_negotiation_closed(negotiation, MCPD_OUTCOME_STDOUT_CLOSED, now_ms(), NULL);
            break;
        }
    }
    status = mcpd_negotiation_verdict(negotiation, milliseconds(CLOCK_REALTIME), &verdict, &error);
    mcpd_negotiation_free(negotiation);
    if (status != MCPD_OK)
        return fail(error);
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
