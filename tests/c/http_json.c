/* The host of the cases over HTTP: feeds responses as it is told, and prints what was asked and the verdict.
 *
 * http_json [--OPTION VALUE]... [RESPONSE]...
 *
 * An option has the name of the field of mcpd_http_options; modern_versions and legacy_versions may be given several
 * times, and "none" as the only legacy version is the empty list. piece is how many bytes are fed at once. A response is
 * a file: a line with the status, one with the content type, and the body. */
#include "check.h"

#define MOST 64

static const char *modern[MOST], *legacy[MOST];
static char data[1 << 20], type[256];

static int is_named(const char *argument, const char *name)
{
    return strncmp(argument, "--", 2) == 0 && strcmp(argument + 2, name) == 0;
}

static const char *header(const mcpd_http_post *post, const char *name)
{
    for (size_t i = 0; i < post->headers_count; i++)
        if (is(post->headers[i].name, name))
            return post->headers[i].value.ptr;
    return "";
}

static void ask(mcpd_http *http)
{
    const mcpd_http_post *post, *again;
    CHECK(mcpd_http_request(http, &post, NULL) == MCPD_OK);
    CHECK(mcpd_http_request(http, &again, NULL) == MCPD_OK && again == post);
    CHECK(post->struct_size == sizeof *post && post->headers_count == 4);
    CHECK(strcmp(header(post, "Content-Type"), "application/json") == 0);
    CHECK(strcmp(header(post, "Accept"), "application/json, text/event-stream") == 0);
    CHECK(strcmp(header(post, "Mcp-Method"), "server/discover") == 0);
    CHECK(strstr(post->body.ptr, header(post, "MCP-Protocol-Version")) != NULL);
    printf("asked %s\n", header(post, "MCP-Protocol-Version"));
}

static void answer(mcpd_http *http, const char *path, size_t piece)
{
    int status = 0, enough = 0;
    FILE *file = fopen(path, "rb");
    if (file == NULL || fscanf(file, "%d", &status) != 1 || fgetc(file) != '\n' ||
        fgets(type, sizeof type, file) == NULL) {
        fprintf(stderr, "http_json: cannot read %s\n", path);
        exit(2);
    }
    type[strcspn(type, "\n")] = '\0';
    CHECK(mcpd_http_status(http, status, type[0] != '\0' ? type : NULL, NULL) == MCPD_OK);
    size_t length = fread(data, 1, sizeof data, file);
    fclose(file);
    for (size_t at = 0; at < length && !enough; at += piece) {
        size_t rest = length - at;
        CHECK(mcpd_http_feed(http, data + at, rest < piece ? rest : piece, &enough, NULL) == MCPD_OK);
    }
    printf("enough %d\n", enough);
}

int main(int argc, char **argv)
{
    mcpd_http_options options = {0};
    size_t piece = sizeof data, moderns = 0, legacies = 0;
    mcpd_http *http;
    mcpd_verdict *verdict = NULL;
    mcpd_text *json;
    int i;

    options.struct_size = sizeof options;
    for (i = 1; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
        if (is_named(argv[i], "modern_versions") && moderns < MOST - 1)
            modern[moderns++] = argv[i + 1];
        else if (is_named(argv[i], "legacy_versions") && legacies < MOST - 1)
            legacy[legacies++] = argv[i + 1];
        else if (is_named(argv[i], "max_body_bytes"))
            options.max_body_bytes = strtoul(argv[i + 1], NULL, 10);
        else if (is_named(argv[i], "piece"))
            piece = strtoul(argv[i + 1], NULL, 10);
        else
            return 2;
    }
    if (moderns > 0)
        options.modern_versions = modern;
    if (legacies > 0)
        options.legacy_versions = legacy;
    if (legacies == 1 && strcmp(legacy[0], "none") == 0)
        legacy[0] = NULL;

    CHECK(mcpd_http_new(&options, &http, NULL) == MCPD_OK);
    for (; i < argc && verdict == NULL; i++) {
        ask(http);
        answer(http, argv[i], piece);
        CHECK(mcpd_http_verdict(http, &verdict, NULL) == MCPD_OK);
    }
    CHECK(i == argc && verdict != NULL);
    mcpd_http_free(http);
    if (verdict != NULL) {
        CHECK(verdict->starts == 0 && verdict->processes == NULL && verdict->processes_count == 0);
        CHECK(verdict->has_received_at_ms == (verdict->discover != NULL || verdict->discover_error != NULL));
        CHECK(mcpd_verdict_to_json(verdict, &json, NULL) == MCPD_OK);
        printf("%s\n", json->text.ptr);
        mcpd_text_free(json);
        mcpd_verdict_free(verdict);
    }
    return failures != 0;
}
