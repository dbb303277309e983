/* The library as it is on a system without the processes and descriptors of Unix: what needs them says so, the rest works. */
#include "check.h"

static const char answer[] =
    "{\"jsonrpc\":\"2.0\",\"id\":\"discover-1\",\"result\":{\"supportedVersions\":[\"2026-07-28\"]}}";

/* That a call was refused, and left nothing. */
static void refused(mcpd_status status, const void *output, mcpd_error *error)
{
    CHECK(status == MCPD_NOT_SUPPORTED && output == NULL);
    CHECK(error != NULL && error->status == status);
    CHECK(error != NULL && strstr(error->message.ptr, "does not know the processes and descriptors") != NULL);
    mcpd_error_free(error);
}

static void what_needs_processes(void)
{
    const char *argv[] = {"server", NULL};
    mcpd_probe_options options = {0};
    mcpd_verdict *verdict;
    mcpd_connection *connection;
    mcpd_cancel *cancel;
    mcpd_scan *scan;
    mcpd_error *error;
    mcpd_status status;
    options.struct_size = sizeof options;
    options.argv = argv;
    status = mcpd_probe_stdio(&options, &verdict, &error);
    refused(status, verdict, error);
    status = mcpd_connection_open(&options, NULL, &connection, &verdict, &error);
    CHECK(connection == NULL);
    refused(status, verdict, error);
    status = mcpd_scan_new(NULL, &scan, &error);
    refused(status, scan, error);
    status = mcpd_cancel_new(&cancel, &error);
    refused(status, cancel, error);
    options.argv = NULL;
    status = mcpd_probe_descriptors(&options, 0, 1, NULL, NULL, &verdict, &error);
    refused(status, verdict, error);

    /* What is wrong with the options comes first. */
    CHECK(mcpd_probe_stdio(&options, &verdict, NULL) == MCPD_INVALID_ARGUMENT);
    mcpd_scan_free(NULL);
    mcpd_cancel_free(NULL);
    mcpd_connection_free(NULL);
}

static void what_does_not(void)
{
    mcpd_text *text;
    mcpd_reply *reply;
    mcpd_http *http;
    const mcpd_http_post *post;
    mcpd_verdict *verdict, *again;
    int32_t enough;
    CHECK(mcpd_request_build(NULL, &text, NULL) == MCPD_OK && text->text.len > 0);
    mcpd_text_free(text);
    CHECK(mcpd_reply_parse(answer, strlen(answer), NULL, &reply, NULL) == MCPD_OK);
    CHECK(reply->kind == MCPD_REPLY_DISCOVER);
    mcpd_reply_free(reply);

    mcpd_http_options options = {0};
    options.struct_size = sizeof options;
    CHECK(mcpd_http_new(&options, &http, NULL) == MCPD_OK);
    CHECK(mcpd_http_request(http, &post, NULL) == MCPD_OK && post->headers_count >= 4);
    CHECK(mcpd_http_status(http, 200, "application/json", NULL) == MCPD_OK);
    CHECK(mcpd_http_feed(http, answer, strlen(answer), &enough, NULL) == MCPD_OK);
    CHECK(mcpd_http_verdict(http, &verdict, NULL) == MCPD_OK && verdict != NULL);
    CHECK(verdict->era == MCPD_ERA_MODERN && is(verdict->version, "2026-07-28"));
    mcpd_http_free(http);
    CHECK(mcpd_verdict_to_json(verdict, &text, NULL) == MCPD_OK);
    CHECK(mcpd_verdict_from_json(text->text.ptr, text->text.len, &again, NULL) == MCPD_OK);
    CHECK(again->era == MCPD_ERA_MODERN);
    mcpd_text_free(text);
    mcpd_verdict_free(verdict);
    mcpd_verdict_free(again);
}

int main(void)
{
    what_needs_processes();
    what_does_not();
    return failures != 0;
}
