/* A program that was compiled before the library's structs grew by a field: run with such a library, all is as it was. */
#include "check.h"

/* Its struct as the library knows it: with a field that this program's header does not have. */
struct longer_options {
    mcpd_probe_options known;
    uint64_t appended;
};

static const char answer[] =
    "{\"jsonrpc\":\"2.0\",\"id\":\"discover-1\",\"result\":{\"supportedVersions\":[\"2026-07-28\",\"2027-01-01\"],"
    "\"capabilities\":{\"extensions\":{\"a\":{},\"b\":{}}},\"_meta\":{\"io.modelcontextprotocol/serverInfo\":"
    "{\"name\":\"demo\",\"version\":\"1\",\"icons\":[{\"src\":\"x\"},{\"src\":\"y\"}]}}}}";

static void answers(void)
{
    mcpd_reply_options options = {0};
    options.struct_size = sizeof options;
    options.id_kind = MCPD_ID_STRING;
    options.id_string = "discover-1";
    mcpd_reply *reply;
    mcpd_error *error;
    CHECK(mcpd_reply_parse(answer, strlen(answer), &options, &reply, &error) == MCPD_OK);
    CHECK(reply->struct_size == sizeof *reply + sizeof(uint64_t));
    CHECK(reply->kind == MCPD_REPLY_DISCOVER && reply->remarks_count == 3);
    CHECK(reply->remarks[2]->struct_size == sizeof *reply->remarks[2] + sizeof(uint64_t));
    CHECK(reply->remarks[2]->text.len > 0);
    CHECK(is(reply->discover->supported_versions[1], "2027-01-01"));
    CHECK(is(reply->discover->capabilities->extensions[1].name, "b"));
    CHECK(is(reply->discover->server->icons[1]->src, "y"));
    mcpd_reply_free(reply);

    CHECK(mcpd_reply_parse("x", 1, &options, &reply, &error) == MCPD_INVALID_JSON);
    CHECK(error->struct_size == sizeof *error + sizeof(uint64_t) && is(error->argument, "data"));
    CHECK(error->offset == 0);
    mcpd_error_free(error);
}

static void probes(void)
{
    const char *argv[] = {"/bin/sh", "-c", "read -r line; printf '%s\\n' \"$1\"; read -r end", "sh", answer, NULL};
    struct longer_options options = {{0}, 0};
    mcpd_verdict *verdict;
    options.known.argv = argv;
    options.known.max_transcript_bytes = 10000;
    for (int longer = 0; longer < 2; longer++) {
        options.known.struct_size = longer ? sizeof options : sizeof options.known;
        options.appended = 1; /* beyond the size, or an option that the library knows */
        CHECK(mcpd_probe_stdio(&options.known, &verdict, NULL) == MCPD_OK);
        CHECK(verdict->struct_size == sizeof *verdict + sizeof(uint64_t));
        CHECK(verdict->era == MCPD_ERA_MODERN && is(verdict->version, "2026-07-28"));
        CHECK(verdict->processes_count == 1);
        CHECK(verdict->processes[0]->shutdown == MCPD_SHUTDOWN_STDIN_CLOSED);
        CHECK(verdict->transcript_count == 2 && verdict->transcript[1]->length == strlen(answer) + 1);
        mcpd_verdict_free(verdict);
    }
    options.known.struct_size = sizeof options.known - 8;
    CHECK(mcpd_probe_stdio(&options.known, &verdict, NULL) == MCPD_INVALID_ARGUMENT);
}

int main(void)
{
    mcpd_text *request;
    mcpd_request_options options = {0};
    options.struct_size = sizeof options;
    options.log_level = "debug";
    CHECK(mcpd_request_build(&options, &request, NULL) == MCPD_OK);
    CHECK(request->struct_size == sizeof *request + sizeof(uint64_t));
    CHECK(strstr(request->text.ptr, "\"debug\"") != NULL);
    mcpd_text_free(request);
    answers();
    probes();
    return failures != 0;
}
