/* Bad input through every function: a status, a message that names the place and what was expected, outputs NULL. */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "check.h"

static char deep[2100];

/* What is in an output before a call; it must not survive. */
#define GARBAGE(type) ((type *)(void *)deep)

/* What a refusal has to say. */
struct refusal {
    mcpd_status status;
    const char *argument;
    const char *message;
    int64_t offset;
};

#define REFUSED(given, output, error, ...) \
    refused(given, output, error, (struct refusal){__VA_ARGS__}, __LINE__)

static void refused(mcpd_status status, const void *output, mcpd_error *error,
                    struct refusal expected, int line)
{
    int before = failures;
    CHECK(status == expected.status);
    CHECK(output == NULL);
    CHECK(error != NULL);
    if (error != NULL) {
        CHECK(error->struct_size == sizeof *error);
        CHECK(error->status == expected.status);
        CHECK(error->reserved == 0);
        CHECK(is(error->argument, expected.argument));
        CHECK(strstr(error->message.ptr, expected.message) != NULL);
        CHECK(strlen(error->message.ptr) == error->message.len);
        CHECK(error->offset == expected.offset);
    }
    if (failures != before)
        fprintf(stderr, "line %d: %s: %s\n", line, mcpd_status_name(status),
                error != NULL ? error->message.ptr : "no error");
    mcpd_error_free(error);
}

#define BUILD(options, ...) \
    do { \
        mcpd_text *text = GARBAGE(mcpd_text); \
        mcpd_error *error = GARBAGE(mcpd_error); \
        mcpd_status status = mcpd_request_build((options), &text, &error); \
        REFUSED(status, text, error, __VA_ARGS__); \
        text = GARBAGE(mcpd_text); \
        CHECK(mcpd_request_build((options), &text, NULL) == status && text == NULL); \
    } while (0)

#define PARSE(data, length, options, ...) \
    do { \
        mcpd_reply *reply = GARBAGE(mcpd_reply); \
        mcpd_error *error = GARBAGE(mcpd_error); \
        mcpd_status status = mcpd_reply_parse((data), (length), (options), &reply, &error); \
        REFUSED(status, reply, error, __VA_ARGS__); \
        reply = GARBAGE(mcpd_reply); \
        CHECK(mcpd_reply_parse((data), (length), (options), &reply, NULL) == status); \
        CHECK(reply == NULL); \
    } while (0)

#define FLAT(data, length, options, place, room, ...) \
    do { \
        mcpd_error *error = GARBAGE(mcpd_error); \
        mcpd_status status = \
            mcpd_flat_reply_parse((data), (length), (options), (place), (room), &error); \
        REFUSED(status, NULL, error, __VA_ARGS__); \
        CHECK(mcpd_flat_reply_parse((data), (length), (options), (place), (room), NULL) == status); \
    } while (0)

#define PROBE(options, ...) \
    do { \
        mcpd_verdict *verdict = GARBAGE(mcpd_verdict); \
        mcpd_error *error = GARBAGE(mcpd_error); \
        mcpd_status status = mcpd_probe_stdio((options), &verdict, &error); \
        REFUSED(status, verdict, error, __VA_ARGS__); \
        verdict = GARBAGE(mcpd_verdict); \
        CHECK(mcpd_probe_stdio((options), &verdict, NULL) == status && verdict == NULL); \
    } while (0)

#define SELECT(modern, legacy, named, count, ...) \
    do { \
        const char *version = deep; \
        mcpd_error *error = GARBAGE(mcpd_error); \
        mcpd_status status = \
            mcpd_versions_select((modern), (legacy), (named), (count), &version, &error); \
        REFUSED(status, version, error, __VA_ARGS__); \
    } while (0)

static mcpd_request_options request(void)
{
    mcpd_request_options options = {0};
    options.struct_size = sizeof options;
    return options;
}

static mcpd_request_options request_by(const char *name)
{
    mcpd_request_options options = request();
    options.client_name = name;
    options.client_version = "1";
    return options;
}

static void requests(void)
{
    mcpd_error *error = NULL;
    mcpd_status status = mcpd_request_build(NULL, NULL, &error);
    REFUSED(status, NULL, error, MCPD_INVALID_ARGUMENT, "request", "request: is NULL", -1);
    CHECK(mcpd_request_build(NULL, NULL, NULL) == MCPD_INVALID_ARGUMENT);

    mcpd_request_options options = request();
    options.struct_size = 0;
    BUILD(&options, MCPD_INVALID_ARGUMENT, "struct_size", "sizeof(mcpd_request_options)", -1);
    options.struct_size = sizeof options - 1;
    BUILD(&options, MCPD_INVALID_ARGUMENT, "struct_size", "sizeof(mcpd_request_options)", -1);
    options.struct_size = (size_t)-1;
    BUILD(&options, MCPD_INVALID_ARGUMENT, "struct_size", "sizeof(mcpd_request_options)", -1);

    struct {
        mcpd_request_options options;
        char later[16];
    } newer = {request(), {0}};
    newer.options.struct_size = sizeof newer;
    newer.later[15] = 1;
    BUILD(&newer.options, MCPD_INVALID_ARGUMENT, "struct_size", "is not zero", -1);
    newer.later[15] = 0;
    mcpd_text *text;
    CHECK(mcpd_request_build(&newer.options, &text, NULL) == MCPD_OK);
    mcpd_text_free(text);

    options = request(), options.method = 7;
    BUILD(&options, MCPD_INVALID_ARGUMENT, "method", "is 7; expected MCPD_METHOD_DISCOVER (0)", -1);
    options = request(), options.id_kind = -1;
    BUILD(&options, MCPD_INVALID_ARGUMENT, "id_kind", "expected MCPD_ID_DEFAULT (0)", -1);
    options = request(), options.id_kind = MCPD_ID_STRING;
    BUILD(&options, MCPD_INVALID_ARGUMENT, "id_string", "is NULL; expected", -1);
    options = request(), options.id_string = "x";
    BUILD(&options, MCPD_INVALID_ARGUMENT, "id_string", "expected NULL", -1);
    options = request(), options.id_integer = 5;
    BUILD(&options, MCPD_INVALID_ARGUMENT, "id_integer", "is 5; expected 0", -1);
    options = request(), options.protocol_version = "2025-06-18";
    BUILD(&options, MCPD_INVALID_ARGUMENT, "protocol_version", "expected a modern one", -1);
    options = request(), options.protocol_version = "";
    BUILD(&options, MCPD_INVALID_ARGUMENT, "protocol_version", "is empty", -1);
    options.method = MCPD_METHOD_INITIALIZE, options.protocol_version = "2026-07-28";
    BUILD(&options, MCPD_INVALID_ARGUMENT, "protocol_version", "expected a legacy one", -1);
    options = request(), options.log_level = "loud";
    BUILD(&options, MCPD_INVALID_ARGUMENT, "log_level", "expected one of debug, info", -1);
    options = request(), options.method = MCPD_METHOD_INITIALIZE, options.log_level = "info";
    BUILD(&options, MCPD_INVALID_ARGUMENT, "log_level", "expected NULL", -1);

    options = request(), options.client_name = "x";
    BUILD(&options, MCPD_INVALID_ARGUMENT, "client_version", "expected both", -1);
    options = request(), options.client_version = "1";
    BUILD(&options, MCPD_INVALID_ARGUMENT, "client_version", "expected both", -1);
    options = request(), options.client_title = "X";
    BUILD(&options, MCPD_INVALID_ARGUMENT, "client_title", "client_name is NULL", -1);
    options = request(), options.client_description = "x";
    BUILD(&options, MCPD_INVALID_ARGUMENT, "client_description", "client_name is NULL", -1);
    options = request(), options.client_website_url = "x";
    BUILD(&options, MCPD_INVALID_ARGUMENT, "client_website_url", "client_name is NULL", -1);
    options = request(), options.client_icons_json = "[]";
    BUILD(&options, MCPD_INVALID_ARGUMENT, "client_icons_json", "client_name is NULL", -1);

    options = request_by("a\xff");
    BUILD(&options, MCPD_INVALID_UTF8, "client_name", "expected UTF-8", 1);
    options = request_by("x"), options.client_title = "\xc3";
    BUILD(&options, MCPD_INVALID_UTF8, "client_title", "expected UTF-8", 0);
    options = request(), options.id_kind = MCPD_ID_STRING, options.id_string = "\xed\xa0\x80";
    BUILD(&options, MCPD_INVALID_UTF8, "id_string", "expected UTF-8", 0);

    options = request(), options.client_capabilities_json = "{\"a\" 1}";
    BUILD(&options, MCPD_INVALID_JSON, "client_capabilities_json", "expected ':' at byte 5", 5);
    options = request(), options.client_capabilities_json = "[]";
    BUILD(&options, MCPD_INVALID_ARGUMENT, "client_capabilities_json",
          "expected an object, found an array", -1);
    options = request(), options.client_capabilities_json = deep;
    BUILD(&options, MCPD_INVALID_JSON, "client_capabilities_json", "deeper than 128", 128);
    options = request(), options.client_capabilities_json = "";
    BUILD(&options, MCPD_INVALID_JSON, "client_capabilities_json", "ends too early", 0);
    options = request_by("x"), options.client_icons_json = "[{\"src\": 1}]";
    BUILD(&options, MCPD_INVALID_ARGUMENT, "client_icons_json", "\"src\" at index 0", -1);
    options = request_by("x"), options.client_icons_json = "[";
    BUILD(&options, MCPD_INVALID_JSON, "client_icons_json", "ends too early", 1);
    options = request(), options.meta_json = "7";
    BUILD(&options, MCPD_INVALID_ARGUMENT, "meta_json", "expected an object, found a number", -1);
    options = request(), options.meta_json = "{\"io.modelcontextprotocol/x\": 1}";
    BUILD(&options, MCPD_INVALID_ARGUMENT, "meta_json", "reserved", -1);
    options = request(), options.meta_json = "{} {}";
    BUILD(&options, MCPD_INVALID_JSON, "meta_json", "expected the end of the text", 3);
}

static void replies(void)
{
    mcpd_error *error = NULL;
    mcpd_status status = mcpd_reply_parse("{}", 2, NULL, NULL, &error);
    REFUSED(status, NULL, error, MCPD_INVALID_ARGUMENT, "reply", "is NULL", -1);
    CHECK(mcpd_reply_parse(NULL, 0, NULL, NULL, NULL) == MCPD_INVALID_ARGUMENT);
    PARSE(NULL, 0, NULL, MCPD_INVALID_ARGUMENT, "data", "is NULL", -1);
    PARSE("", (size_t)-1, NULL, MCPD_INVALID_ARGUMENT, "length", "more than", -1);
    PARSE("", 0, NULL, MCPD_INVALID_JSON, "data", "ends too early", 0);
    PARSE("hello", 5, NULL, MCPD_INVALID_JSON, "data", "expected a JSON value at byte 0", 0);
    PARSE("{\"id\":1,}", 9, NULL, MCPD_INVALID_JSON, "data", "expected a member name", 8);
    PARSE("\xef\xbb\xbf{\"a\"]", 8, NULL, MCPD_INVALID_JSON, "data", "expected ':' at byte 7", 7);
    PARSE(deep, 2000, NULL, MCPD_INVALID_JSON, "data", "deeper than 128 levels", 128);

    mcpd_reply_options options = {0};
    PARSE("{}", 2, &options, MCPD_INVALID_ARGUMENT, "struct_size", "sizeof(mcpd_reply_options)",
          -1);
    options.struct_size = sizeof options, options.method = 2;
    PARSE("{}", 2, &options, MCPD_INVALID_ARGUMENT, "method", "is 2; expected", -1);
    options.method = 0, options.id_kind = 3;
    PARSE("{}", 2, &options, MCPD_INVALID_ARGUMENT, "id_kind", "is 3; expected", -1);
    options.id_kind = MCPD_ID_STRING, options.id_string = "\x80";
    PARSE("{}", 2, &options, MCPD_INVALID_UTF8, "id_string", "expected UTF-8", 0);
    struct {
        mcpd_reply_options options;
        size_t later;
    } newer = {{0}, 1};
    newer.options.struct_size = sizeof newer;
    PARSE("{}", 2, &newer.options, MCPD_INVALID_ARGUMENT, "struct_size", "is not zero", -1);
}

/* A refusal leaves the caller's memory alone. */
static void flat_replies(void)
{
    mcpd_flat_reply reply, before;
    memset(&reply, 7, sizeof reply);
    before = reply;
    const size_t room = sizeof reply;
    FLAT(NULL, 0, NULL, &reply, room, MCPD_INVALID_ARGUMENT, "data", "is NULL", -1);
    FLAT("{}", 2, NULL, NULL, room, MCPD_INVALID_ARGUMENT, "reply", "is NULL", -1);
    FLAT("{}", 2, NULL, &reply, room - 1, MCPD_INVALID_ARGUMENT, "room", "is 127; expected", -1);
    FLAT("", (size_t)-1, NULL, &reply, room, MCPD_INVALID_ARGUMENT, "length", "more than", -1);
    FLAT("{\"id\":1,}", 9, NULL, &reply, room, MCPD_INVALID_JSON, "data", "expected a member", 8);
    mcpd_reply_options options = {0};
    options.struct_size = sizeof options, options.method = 2;
    FLAT("{}", 2, &options, &reply, room, MCPD_INVALID_ARGUMENT, "method", "is 2; expected", -1);
    CHECK(memcmp(&reply, &before, sizeof reply) == 0);
}

static void versions(void)
{
    const char *modern[] = {"2026-07-28", NULL};
    const char *legacy[] = {"2025-11-25", NULL};
    const char *broken[] = {"2026-07-28", "\xff", NULL};
    const char *empty[] = {"", NULL};
    mcpd_str named = {"x", 1};
    mcpd_error *error = NULL;
    mcpd_status status = mcpd_versions_select(NULL, NULL, &named, 1, NULL, &error);
    REFUSED(status, NULL, error, MCPD_INVALID_ARGUMENT, "version", "is NULL", -1);
    CHECK(mcpd_versions_select(NULL, NULL, &named, 1, NULL, NULL) == MCPD_INVALID_ARGUMENT);
    SELECT(NULL, NULL, NULL, 1, MCPD_INVALID_ARGUMENT, "named", "is NULL", -1);
    SELECT(legacy, NULL, &named, 1, MCPD_INVALID_ARGUMENT, "modern[0]", "expected a modern one",
           -1);
    SELECT(NULL, modern, &named, 1, MCPD_INVALID_ARGUMENT, "legacy[0]", "expected a legacy one",
           -1);
    SELECT(broken, NULL, &named, 1, MCPD_INVALID_UTF8, "modern[1]", "expected UTF-8", 0);
    SELECT(empty, NULL, &named, 1, MCPD_INVALID_ARGUMENT, "modern[0]", "is empty", -1);
    CHECK(mcpd_version_era(NULL) == MCPD_ERA_UNKNOWN);
    CHECK(mcpd_version_era("\xff") == MCPD_ERA_MODERN);
}

static const char *const true_argv[] = {"true", NULL};

static mcpd_probe_options probe(void)
{
    mcpd_probe_options options = {0};
    options.struct_size = sizeof options;
    options.argv = true_argv;
    return options;
}

static void probe_numbers(void)
{
    mcpd_probe_options options = probe();
    options.timeout_ms = -1;
    PROBE(&options, MCPD_INVALID_ARGUMENT, "timeout_ms", "is -1; expected 1 to 86400000", -1);
    options = probe(), options.timeout_ms = INT64_MAX;
    PROBE(&options, MCPD_INVALID_ARGUMENT, "timeout_ms", "expected 1 to 86400000", -1);
    options = probe(), options.discover_timeout_ms = -1;
    PROBE(&options, MCPD_INVALID_ARGUMENT, "discover_timeout_ms", "is -1; expected", -1);
    options = probe(), options.grace_ms = -2;
    PROBE(&options, MCPD_INVALID_ARGUMENT, "grace_ms", "is -2; expected", -1);
    options = probe(), options.max_line_bytes = (size_t)-1;
    PROBE(&options, MCPD_INVALID_ARGUMENT, "max_line_bytes", "expected 1 to 1073741824", -1);
    options = probe(), options.max_stderr_bytes = (size_t)-1;
    PROBE(&options, MCPD_INVALID_ARGUMENT, "max_stderr_bytes", "expected 1 to 1073741824", -1);
    options = probe(), options.max_starts = -1;
    PROBE(&options, MCPD_INVALID_ARGUMENT, "max_starts", "is -1; expected 1 to 100", -1);
    options = probe(), options.fallback = 2;
    PROBE(&options, MCPD_INVALID_ARGUMENT, "fallback", "expected MCPD_FALLBACK_INITIALIZE", -1);
    options = probe(), options.env_mode = 2;
    PROBE(&options, MCPD_INVALID_ARGUMENT, "env_mode", "expected MCPD_ENV_INHERIT (0)", -1);
    options = probe(), options.stderr_mode = 3;
    PROBE(&options, MCPD_INVALID_ARGUMENT, "stderr_mode", "expected MCPD_STDERR_CAPTURE", -1);
}

static void probes(void)
{
    mcpd_error *error = NULL;
    mcpd_probe_options options = probe();
    mcpd_status status = mcpd_probe_stdio(&options, NULL, &error);
    REFUSED(status, NULL, error, MCPD_INVALID_ARGUMENT, "verdict", "is NULL", -1);
    CHECK(mcpd_probe_stdio(NULL, NULL, NULL) == MCPD_INVALID_ARGUMENT);
    PROBE(NULL, MCPD_INVALID_ARGUMENT, "options", "is NULL", -1);
    options.struct_size = 8;
    PROBE(&options, MCPD_INVALID_ARGUMENT, "struct_size", "is 8; expected sizeof", -1);
    struct {
        mcpd_probe_options options;
        size_t later;
    } newer = {probe(), 1};
    newer.options.struct_size = sizeof newer;
    PROBE(&newer.options, MCPD_INVALID_ARGUMENT, "struct_size", "is not zero", -1);

    const char *const nothing[] = {NULL};
    options = probe(), options.argv = NULL;
    PROBE(&options, MCPD_INVALID_ARGUMENT, "argv", "expected a program", -1);
    options.argv = nothing;
    PROBE(&options, MCPD_INVALID_ARGUMENT, "argv", "expected a program", -1);
    const char *const env[] = {"A=1", "=secret", NULL};
    options = probe(), options.env = env;
    PROBE(&options, MCPD_INVALID_ARGUMENT, "env[1]", "expected \"NAME=VALUE\"", -1);
    options = probe(), options.modern_versions = nothing;
    PROBE(&options, MCPD_INVALID_ARGUMENT, "modern_versions", "is empty", -1);
    const char *const old[] = {"2026-07-28", "2025-11-25", NULL};
    options = probe(), options.modern_versions = old;
    PROBE(&options, MCPD_INVALID_ARGUMENT, "modern_versions[1]", "expected a modern one", -1);
    options = probe(), options.legacy_versions = old;
    PROBE(&options, MCPD_INVALID_ARGUMENT, "legacy_versions[0]", "expected a legacy one", -1);
    options = probe(), options.client_name = "x";
    PROBE(&options, MCPD_INVALID_ARGUMENT, "client_version", "expected both", -1);
    options = probe(), options.client_capabilities_json = "nil";
    PROBE(&options, MCPD_INVALID_JSON, "client_capabilities_json", "expected null at byte 1", 1);

    const char *const missing[] = {"no-such-command-anywhere", "secret", NULL};
    options = probe(), options.argv = missing;
    PROBE(&options, MCPD_COMMAND_NOT_FOUND, "argv", "no-such-command-anywhere", -1);
    const char *const directory[] = {"/", NULL};
    options = probe(), options.argv = directory;
    PROBE(&options, MCPD_PERMISSION_DENIED, "argv", "\"/\"", -1);
    options = probe(), options.cwd = "/no/such/directory";
    PROBE(&options, MCPD_START_FAILED, "cwd", "/no/such/directory", -1);

    mcpd_cancel *cancel;
    CHECK(mcpd_cancel_new(&cancel, NULL) == MCPD_OK);
    CHECK(mcpd_cancel_fire(cancel) == MCPD_OK);
    CHECK(mcpd_cancel_fire(cancel) == MCPD_OK);
    const char *const sleeper[] = {"sleep", "100", NULL};
    options = probe(), options.argv = sleeper, options.cancel = cancel;
    PROBE(&options, MCPD_CANCELLED, NULL, "cancel handle was fired", -1);
    mcpd_cancel_free(cancel);
}

static void scans(void)
{
    mcpd_scan_options options = {0};
    mcpd_scan *scan = GARBAGE(mcpd_scan);
    mcpd_error *error = GARBAGE(mcpd_error);
    mcpd_status status = mcpd_scan_new(&options, &scan, &error);
    REFUSED(status, scan, error, MCPD_INVALID_ARGUMENT, "struct_size", "is 0; expected sizeof", -1);
    options.struct_size = sizeof options;
    options.max_running = 1025;
    status = mcpd_scan_new(&options, &scan, &error);
    REFUSED(status, scan, error, MCPD_INVALID_ARGUMENT, "max_running", "expected 1 to 1024", -1);
    options.max_running = 0;
    options.reserved = 1;
    status = mcpd_scan_new(&options, &scan, &error);
    REFUSED(status, scan, error, MCPD_INVALID_ARGUMENT, "reserved", "expected 0", -1);
    status = mcpd_scan_new(NULL, NULL, &error);
    REFUSED(status, NULL, error, MCPD_INVALID_ARGUMENT, "scan", "is NULL", -1);

    mcpd_probe_options bad = probe();
    mcpd_scan_item *item = GARBAGE(mcpd_scan_item);
    CHECK(mcpd_scan_new(NULL, &scan, NULL) == MCPD_OK);
    status = mcpd_scan_add(NULL, &bad, 0, &error);
    REFUSED(status, NULL, error, MCPD_INVALID_ARGUMENT, "scan", "is NULL", -1);
    status = mcpd_scan_add(scan, NULL, 0, &error);
    REFUSED(status, NULL, error, MCPD_INVALID_ARGUMENT, "options", "is NULL", -1);
    bad.timeout_ms = -1;
    status = mcpd_scan_add(scan, &bad, 0, &error);
    REFUSED(status, NULL, error, MCPD_INVALID_ARGUMENT, "timeout_ms", "is -1; expected", -1);
    bad = probe(), bad.argv = NULL;
    status = mcpd_scan_add(scan, &bad, 0, &error);
    REFUSED(status, NULL, error, MCPD_INVALID_ARGUMENT, "argv", "is NULL or begins with NULL", -1);
    status = mcpd_scan_next(NULL, 0, &item, &error);
    REFUSED(status, item, error, MCPD_INVALID_ARGUMENT, "scan", "is NULL", -1);
    item = GARBAGE(mcpd_scan_item);
    status = mcpd_scan_next(scan, -2, &item, &error);
    REFUSED(status, item, error, MCPD_INVALID_ARGUMENT, "timeout_ms", "MCPD_NO_WAIT (-1)", -1);
    status = mcpd_scan_next(scan, 0, NULL, &error);
    REFUSED(status, NULL, error, MCPD_INVALID_ARGUMENT, "item", "is NULL", -1);
    /* What was refused was not added. */
    CHECK(mcpd_scan_next(scan, 0, &item, &error) == MCPD_OK && item == NULL && error == NULL);
    CHECK(mcpd_scan_cancel(NULL) == MCPD_INVALID_ARGUMENT);
    CHECK(mcpd_scan_cancel(scan) == MCPD_OK && mcpd_scan_cancel(scan) == MCPD_OK);
    bad = probe();
    status = mcpd_scan_add(scan, &bad, 0, &error);
    REFUSED(status, NULL, error, MCPD_CANCELLED, NULL, "was cancelled", -1);
    CHECK(mcpd_scan_next(scan, 0, &item, NULL) == MCPD_OK && item == NULL);
    mcpd_scan_free(scan);
    mcpd_scan_free(NULL);
    mcpd_scan_item_free(NULL);
}

#define HTTP(options, ...) \
    do { \
        mcpd_http *http = GARBAGE(mcpd_http); \
        mcpd_error *error = GARBAGE(mcpd_error); \
        mcpd_status status = mcpd_http_new((options), &http, &error); \
        REFUSED(status, http, error, __VA_ARGS__); \
    } while (0)

static mcpd_http_options http_options(void)
{
    mcpd_http_options options = {0};
    options.struct_size = sizeof options;
    return options;
}

static void http(void)
{
    mcpd_http_options options = http_options();
    options.struct_size = 8;
    HTTP(&options, MCPD_INVALID_ARGUMENT, "struct_size", "sizeof(mcpd_http_options)", -1);
    options = http_options(), options.client_name = "n";
    HTTP(&options, MCPD_INVALID_ARGUMENT, "client_version", "expected both", -1);
    options = http_options(), options.client_capabilities_json = "{";
    HTTP(&options, MCPD_INVALID_JSON, "client_capabilities_json", "at byte 1", 1);
    options = http_options(), options.max_body_bytes = ((size_t)1 << 30) + 1;
    HTTP(&options, MCPD_INVALID_ARGUMENT, "max_body_bytes", "expected 1 to", -1);
    const char *const injected[] = {"2026-07-28", "2026-10-01\r\nEvil: 1", NULL};
    options = http_options(), options.modern_versions = injected;
    HTTP(&options, MCPD_INVALID_ARGUMENT, "modern_versions[1]", "goes into a header", -1);
    const char *const legacy[] = {"2025-11-25", NULL};
    options.modern_versions = legacy;
    HTTP(&options, MCPD_INVALID_ARGUMENT, "modern_versions[0]", "expected a modern one", -1);

    mcpd_error *error = NULL;
    mcpd_http *exchange;
    const mcpd_http_post *post = GARBAGE(const mcpd_http_post);
    mcpd_verdict *verdict = GARBAGE(mcpd_verdict);
    int32_t enough = 7;
    mcpd_status status = mcpd_http_new(NULL, NULL, &error);
    REFUSED(status, NULL, error, MCPD_INVALID_ARGUMENT, "http", "is NULL", -1);
    status = mcpd_http_request(NULL, &post, &error);
    REFUSED(status, post, error, MCPD_INVALID_ARGUMENT, "http", "is NULL", -1);
    status = mcpd_http_status(NULL, 200, NULL, &error);
    REFUSED(status, NULL, error, MCPD_INVALID_ARGUMENT, "http", "is NULL", -1);
    status = mcpd_http_feed(NULL, "x", 1, &enough, &error);
    REFUSED(status, NULL, error, MCPD_INVALID_ARGUMENT, "http", "is NULL", -1);
    CHECK(enough == 0);
    status = mcpd_http_verdict(NULL, &verdict, &error);
    REFUSED(status, verdict, error, MCPD_INVALID_ARGUMENT, "http", "is NULL", -1);

    CHECK(mcpd_http_new(NULL, &exchange, &error) == MCPD_OK && error == NULL);
    status = mcpd_http_request(exchange, NULL, &error);
    REFUSED(status, NULL, error, MCPD_INVALID_ARGUMENT, "post", "is NULL", -1);
    status = mcpd_http_feed(exchange, "x", 1, &enough, &error);
    REFUSED(status, NULL, error, MCPD_INVALID_ARGUMENT, "http", "no response yet", -1);
    status = mcpd_http_verdict(exchange, &verdict, &error);
    REFUSED(status, verdict, error, MCPD_INVALID_ARGUMENT, "http", "no response yet", -1);
    const int32_t no_status[] = {0, -1, 100, 199, 1000, 65736, INT32_MIN};
    for (size_t i = 0; i < sizeof no_status / sizeof *no_status; i++) {
        status = mcpd_http_status(exchange, no_status[i], NULL, &error);
        REFUSED(status, NULL, error, MCPD_INVALID_ARGUMENT, "status", "200 to 999", -1);
    }
    CHECK(mcpd_http_status(exchange, 200, "\xff", &error) == MCPD_OK && error == NULL);
    status = mcpd_http_status(exchange, 200, NULL, &error);
    REFUSED(status, NULL, error, MCPD_INVALID_ARGUMENT, "http", "has a response already", -1);
    status = mcpd_http_feed(exchange, NULL, 1, &enough, &error);
    REFUSED(status, NULL, error, MCPD_INVALID_ARGUMENT, "data", "is NULL", -1);
    status = mcpd_http_feed(exchange, "x", (size_t)-1, &enough, &error);
    REFUSED(status, NULL, error, MCPD_INVALID_ARGUMENT, "length", "more than an object", -1);
    status = mcpd_http_feed(exchange, "x", 1, NULL, &error);
    REFUSED(status, NULL, error, MCPD_INVALID_ARGUMENT, "enough", "is NULL", -1);
    status = mcpd_http_verdict(exchange, NULL, &error);
    REFUSED(status, NULL, error, MCPD_INVALID_ARGUMENT, "verdict", "is NULL", -1);
    CHECK(mcpd_http_verdict(exchange, &verdict, NULL) == MCPD_OK);
    mcpd_verdict_free(verdict);
    status = mcpd_http_request(exchange, &post, &error);
    REFUSED(status, post, error, MCPD_INVALID_ARGUMENT, "http", "is over", -1);
    status = mcpd_http_status(exchange, 200, NULL, &error);
    REFUSED(status, NULL, error, MCPD_INVALID_ARGUMENT, "http", "is over", -1);
    status = mcpd_http_verdict(exchange, &verdict, &error);
    REFUSED(status, verdict, error, MCPD_INVALID_ARGUMENT, "http", "is over", -1);
    mcpd_http_free(exchange);
    mcpd_http_free(NULL);
}

/* What an option refuses, a connection does too; only the rest is looked at here. */
static void connections(void)
{
    mcpd_probe_options options = probe();
    mcpd_connection *connection = GARBAGE(mcpd_connection);
    mcpd_verdict *verdict = GARBAGE(mcpd_verdict);
    mcpd_error *error = NULL;
    const char *const missing[] = {"no-such-command-anywhere", NULL};
    options.argv = missing;
    mcpd_status status = mcpd_connection_open(&options, NULL, &connection, &verdict, &error);
    REFUSED(status, verdict, error, MCPD_COMMAND_NOT_FOUND, "argv", "no-such-command-anywhere", -1);
    CHECK(connection == NULL);
    connection = GARBAGE(mcpd_connection);
    status = mcpd_connection_open(NULL, NULL, &connection, &verdict, &error);
    REFUSED(status, connection, error, MCPD_INVALID_ARGUMENT, "options", "is NULL", -1);
    connection = GARBAGE(mcpd_connection);
    status = mcpd_connection_open(&options, NULL, &connection, NULL, &error);
    REFUSED(status, connection, error, MCPD_INVALID_ARGUMENT, "verdict", "is NULL", -1);
    status = mcpd_connection_open(&options, NULL, NULL, &verdict, &error);
    REFUSED(status, verdict, error, MCPD_INVALID_ARGUMENT, "connection", "is NULL", -1);
    status = mcpd_connection_close(NULL, 0, NULL, &error);
    REFUSED(status, NULL, error, MCPD_INVALID_ARGUMENT, "connection", "is NULL", -1);
    status = mcpd_connection_release(NULL, &error);
    REFUSED(status, NULL, error, MCPD_INVALID_ARGUMENT, "connection", "is NULL", -1);
    mcpd_connection_free(NULL);
}

#define DESCRIPTORS(options, to_server, from_server, ...) \
    do { \
        mcpd_connection *connection = GARBAGE(mcpd_connection); \
        mcpd_verdict *verdict = GARBAGE(mcpd_verdict); \
        mcpd_error *error = GARBAGE(mcpd_error); \
        mcpd_status status = mcpd_probe_descriptors((options), (to_server), (from_server), NULL, &connection, \
                                                    &verdict, &error); \
        REFUSED(status, verdict, error, __VA_ARGS__); \
        CHECK(connection == NULL); \
    } while (0)

static void descriptors(void)
{
    const char *const some[] = {"sh", NULL};
    int in[2], out[2];
    FILE *file = tmpfile();
    mcpd_probe_options none = probe();
    none.argv = NULL;
    CHECK(pipe(in) == 0 && pipe(out) == 0 && file != NULL);
    mcpd_probe_options options = probe();
    DESCRIPTORS(&options, in[1], out[0], MCPD_INVALID_ARGUMENT, "argv", "expected NULL", -1);
    options = none, options.env = some;
    DESCRIPTORS(&options, in[1], out[0], MCPD_INVALID_ARGUMENT, "env", "expected NULL", -1);
    options = none, options.cwd = "/";
    DESCRIPTORS(&options, in[1], out[0], MCPD_INVALID_ARGUMENT, "cwd", "expected NULL", -1);
    options = none, options.max_starts = -1;
    DESCRIPTORS(&options, in[1], out[0], MCPD_INVALID_ARGUMENT, "max_starts", "is -1", -1);
    DESCRIPTORS(NULL, in[1], out[0], MCPD_INVALID_ARGUMENT, "options", "is NULL", -1);
    DESCRIPTORS(&none, -1, out[0], MCPD_INVALID_ARGUMENT, "to_server", "is -1; expected an open", -1);
    DESCRIPTORS(&none, in[1], -7, MCPD_INVALID_ARGUMENT, "from_server", "is -7; expected an open", -1);
    DESCRIPTORS(&none, 999, out[0], MCPD_INVALID_ARGUMENT, "to_server", "is 999, which is no open", -1);
    DESCRIPTORS(&none, in[0], out[0], MCPD_INVALID_ARGUMENT, "to_server", "for reading only", -1);
    DESCRIPTORS(&none, in[1], out[1], MCPD_INVALID_ARGUMENT, "from_server", "for writing only", -1);
    DESCRIPTORS(&none, fileno(file), out[0], MCPD_INVALID_ARGUMENT, "to_server", "expected a pipe", -1);
    DESCRIPTORS(&none, in[1], fileno(file), MCPD_INVALID_ARGUMENT, "from_server", "expected a pipe", -1);

    const char *const argv[] = {"true", NULL};
    mcpd_verdict *verdict, *none_given = GARBAGE(mcpd_verdict);
    mcpd_error *error = NULL;
    options = probe(), options.argv = argv;
    CHECK(mcpd_probe_stdio(&options, &verdict, NULL) == MCPD_OK);
    mcpd_status status = mcpd_probe_descriptors(&none, in[1], out[0], verdict, NULL, &none_given, &error);
    REFUSED(status, none_given, error, MCPD_INVALID_ARGUMENT, "prior", "needs a connection", -1);
    mcpd_verdict_free(verdict);
    fclose(file);
    close(in[0]), close(in[1]), close(out[0]), close(out[1]);
}

#define READ(json, length, ...) \
    do { \
        mcpd_verdict *verdict = GARBAGE(mcpd_verdict); \
        mcpd_error *error = GARBAGE(mcpd_error); \
        mcpd_status status = mcpd_verdict_from_json((json), (length), &verdict, &error); \
        REFUSED(status, verdict, error, __VA_ARGS__); \
        verdict = GARBAGE(mcpd_verdict); \
        CHECK(mcpd_verdict_from_json((json), (length), &verdict, NULL) == status); \
        CHECK(verdict == NULL); \
    } while (0)

static void stored_verdicts(void)
{
    mcpd_error *error = GARBAGE(mcpd_error);
    mcpd_status status = mcpd_verdict_from_json("{}", 2, NULL, &error);
    REFUSED(status, NULL, error, MCPD_INVALID_ARGUMENT, "verdict", "is NULL", -1);
    READ(NULL, 0, MCPD_INVALID_ARGUMENT, "json", "is NULL", -1);
    READ("{}", (size_t)-1, MCPD_INVALID_ARGUMENT, "length", "more than an object can have", -1);
    READ("", 0, MCPD_INVALID_JSON, "json", "json: the JSON text ends too early", 0);
    READ("{\"era\":\xff}", 9, MCPD_INVALID_UTF8, "json", "byte 7", 7);
    READ("{\"era\":nil}", 11, MCPD_INVALID_JSON, "json", "expected null at byte 8", 8);
    READ(deep, 2000, MCPD_INVALID_JSON, "json", "deeper than 128 levels", 128);
    READ("{\"schema\":1,\"era\":5}", 20, MCPD_INVALID_ARGUMENT, "json",
         "json: era: expected a string, found a number at byte 18", 18);
    CHECK(!mcpd_verdict_is_fresh(NULL, 0));
}

#define NEGOTIATE(options, ...) \
    do { \
        mcpd_negotiation *negotiation = GARBAGE(mcpd_negotiation); \
        mcpd_error *error = GARBAGE(mcpd_error); \
        mcpd_status status = mcpd_negotiation_new((options), &negotiation, &error); \
        REFUSED(status, negotiation, error, __VA_ARGS__); \
    } while (0)

static void negotiations(void)
{
    const mcpd_outcome closed = MCPD_OUTCOME_STDOUT_CLOSED;
    mcpd_error *error = NULL;
    mcpd_status status = mcpd_negotiation_new(NULL, NULL, &error);
    REFUSED(status, NULL, error, MCPD_INVALID_ARGUMENT, "negotiation", "is NULL", -1);
    const char *argv[] = {"server", NULL};
    mcpd_probe_options options = {0};
    options.struct_size = sizeof options;
    options.argv = argv;
    NEGOTIATE(&options, MCPD_INVALID_ARGUMENT, "argv", "is for a program to start", -1);
    options.argv = NULL, options.cwd = "/";
    NEGOTIATE(&options, MCPD_INVALID_ARGUMENT, "cwd", "is for a program to start", -1);
    options.cwd = NULL, options.client_name = "x";
    NEGOTIATE(&options, MCPD_INVALID_ARGUMENT, "client_version", "is NULL, but client_name", -1);
    options.client_name = NULL, options.max_starts = 101;
    NEGOTIATE(&options, MCPD_INVALID_ARGUMENT, "max_starts", "is 101; expected 1 to 100", -1);
    options.max_starts = 0, options.client_capabilities_json = "[";
    NEGOTIATE(&options, MCPD_INVALID_JSON, "client_capabilities_json", "ends too early", 1);

    mcpd_negotiation *negotiation;
    mcpd_verdict *verdict = GARBAGE(mcpd_verdict);
    CHECK(mcpd_negotiation_new(NULL, &negotiation, NULL) == MCPD_OK);
    CHECK(mcpd_negotiation_next(NULL, 0, NULL) == MCPD_INVALID_ARGUMENT);
    CHECK(mcpd_negotiation_started(NULL, 0, NULL) == MCPD_INVALID_ARGUMENT);
    CHECK(mcpd_negotiation_received(NULL, "", 0, 0, NULL) == MCPD_INVALID_ARGUMENT);
    CHECK(mcpd_negotiation_received_message(NULL, "", 0, 0, NULL) == MCPD_INVALID_ARGUMENT);
    CHECK(mcpd_negotiation_closed(NULL, closed, 0, NULL) == MCPD_INVALID_ARGUMENT);
    CHECK(mcpd_negotiation_verdict(NULL, 0, &verdict, NULL) == MCPD_INVALID_ARGUMENT);
    CHECK(verdict == NULL);
    CHECK(mcpd_negotiation_started(negotiation, 0, NULL) == MCPD_OK);
    status = mcpd_negotiation_received(negotiation, NULL, 0, 0, &error);
    REFUSED(status, NULL, error, MCPD_INVALID_ARGUMENT, "data", "is NULL", -1);
    status = mcpd_negotiation_received(negotiation, "", (size_t)-1, 0, &error);
    REFUSED(status, NULL, error, MCPD_INVALID_ARGUMENT, "length", "more than an object", -1);
    status = mcpd_negotiation_closed(negotiation, MCPD_OUTCOME_RESULT, 0, &error);
    REFUSED(status, NULL, error, MCPD_INVALID_ARGUMENT, "how", "expected MCPD_OUTCOME_EXIT (5)", -1);
    status = mcpd_negotiation_verdict(negotiation, 0, NULL, &error);
    REFUSED(status, NULL, error, MCPD_INVALID_ARGUMENT, "verdict", "is NULL", -1);
    mcpd_negotiation_free(negotiation);
}

static void others(void)
{
    mcpd_error *error = GARBAGE(mcpd_error);
    mcpd_text *json = GARBAGE(mcpd_text);
    mcpd_status status = mcpd_verdict_to_json(NULL, &json, &error);
    REFUSED(status, json, error, MCPD_INVALID_ARGUMENT, "verdict", "is NULL", -1);
    CHECK(mcpd_verdict_to_json(NULL, NULL, NULL) == MCPD_INVALID_ARGUMENT);
    error = GARBAGE(mcpd_error);
    json = GARBAGE(mcpd_text);
    status = mcpd_text_printable(NULL, 1, &json, &error);
    REFUSED(status, json, error, MCPD_INVALID_ARGUMENT, "data", "is NULL", -1);
    status = mcpd_text_printable("x", 1, NULL, &error);
    REFUSED(status, NULL, error, MCPD_INVALID_ARGUMENT, "text", "is NULL", -1);
    error = NULL;
    status = mcpd_cancel_new(NULL, &error);
    REFUSED(status, NULL, error, MCPD_INVALID_ARGUMENT, "cancel", "is NULL", -1);
    CHECK(mcpd_cancel_new(NULL, NULL) == MCPD_INVALID_ARGUMENT);
    CHECK(mcpd_cancel_fire(NULL) == MCPD_INVALID_ARGUMENT);
    mcpd_text_free(NULL);
    mcpd_error_free(NULL);
    mcpd_reply_free(NULL);
    mcpd_verdict_free(NULL);
    mcpd_cancel_free(NULL);

    const char *(*const names[])(int32_t) = {
        mcpd_status_name,      mcpd_era_name,        mcpd_next_name,   mcpd_outcome_name,
        mcpd_shutdown_name,    mcpd_reply_kind_name, mcpd_remark_name, mcpd_remark_sentence,
        mcpd_cache_scope_name, mcpd_exit_kind_name,  mcpd_direction_name,
        mcpd_step_name,
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        CHECK(strcmp(names[i](-1), "unrecognized") == 0);
        CHECK(strcmp(names[i](INT32_MAX), "unrecognized") == 0);
        CHECK(strcmp(names[i](1), "unrecognized") != 0);
    }
}

int main(void)
{
    memset(deep, '[', 1000);
    memset(deep + 1000, ']', 1000);
    requests();
    replies();
    flat_replies();
    versions();
    probe_numbers();
    probes();
    scans();
    http();
    connections();
    descriptors();
    stored_verdicts();
    negotiations();
    others();
    return failures != 0;
}
