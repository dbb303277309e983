/* Tells how to speak to a server, and asks it only if that is not known yet: cache FILE COMMAND [ARGUMENT]...
 *
 * The file is for this command alone; see docs/caching.md for what belongs into a key. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "mcp_discover.h"

enum { LARGEST = 1 << 24 };

/* What is stored in the file; NULL if it is not there, or cannot be used. */
static mcpd_verdict *load(const char *path)
{
    mcpd_verdict *verdict = NULL;
    FILE *file = fopen(path, "rb");
    char *data = malloc(LARGEST);
    if (file != NULL && data != NULL) {
        size_t length = fread(data, 1, LARGEST, file);
        mcpd_error *error;
        if (mcpd_verdict_from_json(data, length, &verdict, &error) != MCPD_OK) {
            fprintf(stderr, "cache: %s: %s\n", path, error->message.ptr);
            mcpd_error_free(error);
        }
    }
    free(data);
    if (file != NULL)
        fclose(file);
    if (verdict != NULL && !verdict->storable) {
        mcpd_verdict_free(verdict);
        verdict = NULL;
    }
    return verdict;
}

/* Renaming puts the whole file in place at once, so that nobody reads half of it. */
static void store(const char *path, const mcpd_verdict *verdict)
{
    char new_path[4096];
    mcpd_text *json;
    FILE *file;
    int written;
    if (!verdict->storable || mcpd_verdict_to_json(verdict, &json, NULL) != MCPD_OK)
        return;
    snprintf(new_path, sizeof new_path, "%s.new", path);
    file = fopen(new_path, "wb");
    if (file != NULL) {
        written = fwrite(json->text.ptr, 1, json->text.len, file) == json->text.len;
        if (fclose(file) == 0 && written)
            rename(new_path, path);
    }
    mcpd_text_free(json);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: cache FILE COMMAND [ARGUMENT]...\n");
        return 2;
    }
    mcpd_verdict *verdict = load(argv[1]);
    printf("known: %s\n", verdict != NULL ? "yes" : "no");
    if (verdict == NULL) {
        mcpd_probe_options options = {0};
        options.struct_size = sizeof options;
        options.argv = (const char *const *)(argv + 2);
        mcpd_error *error;
        if (mcpd_probe_stdio(&options, &verdict, &error) != MCPD_OK) {
            fprintf(stderr, "cache: %s\n", error->message.ptr);
            mcpd_error_free(error);
            return 1;
        }
        store(argv[1], verdict);
    }
    printf("next:  %s %s\n", mcpd_next_name(verdict->next),
           verdict->version.ptr != NULL ? verdict->version.ptr : "");
    printf("fresh: %s\n", mcpd_verdict_is_fresh(verdict, (int64_t)time(NULL) * 1000)
                              ? "yes"
                              : "no; ask it for its capabilities when they are needed");
    mcpd_verdict_free(verdict);
    return 0;
}
