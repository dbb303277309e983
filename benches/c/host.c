/* A C program that uses the library.
 *
 *     host probe SERVER [ARGUMENT]...
 *     host scan SERVER [ARGUMENT]...   64 at a time
 *     host read FILE            a reply to the request discover-1
 *     host build                a discover request
 *     host copy FILE            what three copies of a file in new memory take, for the measure of read
 */
#include "mcp_discover.h"
#include "rounds.h"

struct message {
    char *bytes;
    size_t length;
};

static struct message load(const char *path)
{
    struct message message;
    FILE *file = fopen(path, "rb");
    check(file != NULL, path);
    fseek(file, 0, SEEK_END);
    message.length = (size_t)ftell(file);
    rewind(file);
    message.bytes = malloc(message.length);
    check(fread(message.bytes, 1, message.length, file) == message.length, path);
    fclose(file);
    return message;
}

static int64_t probe(const void *argv, long times)
{
    double answered_ms = 0;
    for (; times > 0; times--) {
        mcpd_probe_options options = {0};
        mcpd_verdict *verdict;
        options.struct_size = sizeof options;
        options.argv = argv;
        options.client_name = "host";
        options.client_version = "1.0.0";
        check(mcpd_probe_stdio(&options, &verdict, NULL) == MCPD_OK, "mcpd_probe_stdio");
        check(verdict->era == MCPD_ERA_MODERN, "a modern server");
        answered_ms += verdict->reply_ms;
        mcpd_verdict_free(verdict);
    }
    return (int64_t)(answered_ms * 1e6);
}

static int64_t scan(const void *argv, long times)
{
    mcpd_scan_options options = {0};
    mcpd_scan *scan;
    mcpd_scan_item *item;
    options.struct_size = sizeof options;
    options.max_running = 64;
    check(mcpd_scan_new(&options, &scan, NULL) == MCPD_OK, "mcpd_scan_new");
    for (long i = 0; i < times; i++) {
        mcpd_probe_options probe = {0};
        probe.struct_size = sizeof probe;
        probe.argv = argv;
        check(mcpd_scan_add(scan, &probe, (uint64_t)i, NULL) == MCPD_OK, "mcpd_scan_add");
    }
    for (; times > 0; times--) {
        check(mcpd_scan_next(scan, 0, &item, NULL) == MCPD_OK && item != NULL, "mcpd_scan_next");
        check(item->verdict != NULL && item->verdict->era == MCPD_ERA_MODERN, "a modern server");
        mcpd_scan_item_free(item);
    }
    mcpd_scan_free(scan);
    return 0;
}

static int64_t read_reply(const void *context, long times)
{
    const struct message *message = context;
    for (; times > 0; times--) {
        mcpd_reply_options options = {0};
        mcpd_reply *reply;
        options.struct_size = sizeof options;
        options.id_kind = MCPD_ID_STRING;
        options.id_string = "discover-1";
        check(mcpd_reply_parse(message->bytes, message->length, &options, &reply, NULL) == MCPD_OK, "mcpd_reply_parse");
        check(reply->discover != NULL, "a DiscoverResult");
        mcpd_reply_free(reply);
    }
    return 0;
}

static int64_t build(const void *context, long times)
{
    (void)context;
    for (; times > 0; times--) {
        mcpd_request_options options = {0};
        mcpd_text *request;
        options.struct_size = sizeof options;
        options.id_kind = MCPD_ID_STRING;
        options.id_string = "discover-1";
        options.client_name = "host";
        options.client_version = "1.0.0";
        check(mcpd_request_build(&options, &request, NULL) == MCPD_OK, "mcpd_request_build");
        mcpd_text_free(request);
    }
    return 0;
}

static int64_t copy(const void *context, long times)
{
    const struct message *message = context;
    for (; times > 0; times--) {
        char *copies = malloc(3 * message->length);
        check(copies != NULL, "malloc");
        for (size_t i = 0; i < 3; i++)
            memcpy(copies + i * message->length, message->bytes, message->length);
        __asm__ volatile("" : : "r"(copies) : "memory");
        free(copies);
    }
    return 0;
}

static int with_message(task *task, const char *path)
{
    struct message message = load(path);
    int status = run_rounds(task, &message);
    free(message.bytes);
    return status;
}

int main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "probe") == 0)
        return run_rounds(probe, argv + 2);
    if (argc > 2 && strcmp(argv[1], "scan") == 0)
        return run_rounds(scan, argv + 2);
    if (argc > 2 && strcmp(argv[1], "read") == 0)
        return with_message(read_reply, argv[2]);
    if (argc > 2 && strcmp(argv[1], "copy") == 0)
        return with_message(copy, argv[2]);
    if (argc > 1 && strcmp(argv[1], "build") == 0)
        return run_rounds(build, NULL);
    return 2;
}
