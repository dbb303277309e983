/* The host of the corpus of behaviours: probes as it is told, and prints the verdict, or the failure, as JSON.
 *
 * probe_json [--OPTION VALUE]... -- COMMAND [ARGUMENT]...
 *
 * An option has the name of the field of mcpd_probe_options; env, modern_versions and legacy_versions may be given
 * several times, and "none" as the only legacy version is the empty list. */
#include "check.h"

#define MOST 64

struct list {
    const char *items[MOST + 1];
    size_t count;
};

static void add(struct list *list, const char *item)
{
    if (list->count < MOST)
        list->items[list->count++] = item;
}

static int is_named(const char *argument, const char *name)
{
    return strncmp(argument, "--", 2) == 0 && strcmp(argument + 2, name) == 0;
}

static void print_failure(const mcpd_error *error)
{
    printf("{\"failure\": {\"status\": \"%s\", \"message\": \"", mcpd_status_name(error->status));
    for (size_t i = 0; i < error->message.len; i++) {
        unsigned char byte = (unsigned char)error->message.ptr[i];
        if (byte < ' ' || byte == '"' || byte == '\\')
            printf("\\u%04x", byte);
        else
            putchar(byte);
    }
    printf("\"}}\n");
}

/* What was written reads back, part by part. */
static void read_back(const mcpd_verdict *verdict, const mcpd_text *json)
{
    mcpd_verdict *read;
    mcpd_text *again;
    CHECK(mcpd_verdict_from_json(json->text.ptr, json->text.len, &read, NULL) == MCPD_OK);
    CHECK(mcpd_verdict_to_json(read, &again, NULL) == MCPD_OK);
    CHECK(is(again->text, json->text.ptr));
    CHECK(read->era == verdict->era && read->next == verdict->next);
    CHECK(is(read->version, verdict->version.ptr));
    CHECK(read->confirmed == verdict->confirmed && read->storable == verdict->storable);
    CHECK(read->discover_outcome == verdict->discover_outcome);
    CHECK(read->initialize_outcome == verdict->initialize_outcome);
    CHECK(read->received_at_ms == verdict->received_at_ms && read->starts == verdict->starts);
    CHECK((read->server == NULL) == (verdict->server == NULL));
    CHECK((read->capabilities == NULL) == (verdict->capabilities == NULL));
    CHECK(read->supported_versions_count == verdict->supported_versions_count);
    CHECK((read->discover == NULL) == (verdict->discover == NULL));
    CHECK((read->initialize == NULL) == (verdict->initialize == NULL));
    CHECK((read->discover_error == NULL) == (verdict->discover_error == NULL));
    CHECK((read->initialize_error == NULL) == (verdict->initialize_error == NULL));
    CHECK(read->remarks_count == verdict->remarks_count);
    for (size_t i = 0; i < read->remarks_count && i < verdict->remarks_count; i++)
        CHECK(read->remarks[i]->code == verdict->remarks[i]->code);
    CHECK(read->elapsed_ms == verdict->elapsed_ms && read->reply_ms == verdict->reply_ms);
    mcpd_text_free(again);
    mcpd_verdict_free(read);
}

int main(int argc, char **argv)
{
    static struct list env, modern, legacy;
    mcpd_probe_options options = {0};
    mcpd_verdict *verdict;
    mcpd_error *error;
    mcpd_text *json;
    int i;

    options.struct_size = sizeof options;
    for (i = 1; i + 1 < argc && strcmp(argv[i], "--") != 0; i += 2) {
        const char *name = argv[i];
        const char *value = argv[i + 1];
        long number = strtol(value, NULL, 10);
        if (is_named(name, "env"))
            add(&env, value);
        else if (is_named(name, "modern_versions"))
            add(&modern, value);
        else if (is_named(name, "legacy_versions"))
            add(&legacy, value);
        else if (is_named(name, "cwd"))
            options.cwd = value;
        else if (is_named(name, "timeout_ms"))
            options.timeout_ms = number;
        else if (is_named(name, "discover_timeout_ms"))
            options.discover_timeout_ms = number;
        else if (is_named(name, "grace_ms"))
            options.grace_ms = number == 0 ? MCPD_NO_GRACE : number;
        else if (is_named(name, "max_starts"))
            options.max_starts = (int32_t)number;
        else if (is_named(name, "max_line_bytes"))
            options.max_line_bytes = (size_t)number;
        else if (is_named(name, "max_stderr_bytes"))
            options.max_stderr_bytes = (size_t)number;
        else if (is_named(name, "max_transcript_bytes"))
            options.max_transcript_bytes = (size_t)number;
        else if (is_named(name, "fallback"))
            options.fallback = strcmp(value, "none") == 0 ? MCPD_FALLBACK_NONE : MCPD_FALLBACK_INITIALIZE;
        else if (is_named(name, "env_mode"))
            options.env_mode = strcmp(value, "exact") == 0 ? MCPD_ENV_EXACT : MCPD_ENV_INHERIT;
        else if (is_named(name, "stderr_mode"))
            options.stderr_mode = strcmp(value, "discard") == 0 ? MCPD_STDERR_DISCARD : MCPD_STDERR_CAPTURE;
        else {
            fprintf(stderr, "probe_json: unknown option %s\n", name);
            return 2;
        }
    }
    options.argv = (const char *const *)(argv + i + 1);
    options.env = env.items;
    if (modern.count > 0)
        options.modern_versions = modern.items;
    if (legacy.count > 0)
        options.legacy_versions = legacy.items;
    if (legacy.count == 1 && strcmp(legacy.items[0], "none") == 0)
        legacy.items[0] = NULL;

    if (mcpd_probe_stdio(&options, &verdict, &error) != MCPD_OK) {
        print_failure(error);
        mcpd_error_free(error);
        return 1;
    }
    CHECK(mcpd_verdict_to_json(verdict, &json, NULL) == MCPD_OK);
    read_back(verdict, json);
    printf("%s\n", json->text.ptr);
    mcpd_text_free(json);
    mcpd_verdict_free(verdict);
    return failures != 0;
}
