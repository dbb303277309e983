/* Probes several servers at once, and tells of each as soon as it is known:
 * scan COMMAND [ARGUMENT]... [-- COMMAND [ARGUMENT]...]... */
#include <stdio.h>
#include <string.h>

#include "mcp_discover.h"

static int fail(mcpd_error *error)
{
    fprintf(stderr, "scan: %s\n", error->message.ptr);
    mcpd_error_free(error);
    return 1;
}

/* Adds the commands between the dashes; the tag of each is where it begins. */
static mcpd_status add_all(mcpd_scan *scan, int argc, char **argv, mcpd_error **error)
{
    mcpd_status status = MCPD_OK;
    for (int start = 1, end; start < argc && status == MCPD_OK; start = end + 1) {
        for (end = start; end < argc && strcmp(argv[end], "--") != 0; end++)
            ;
        argv[end] = NULL;
        mcpd_probe_options options = {0};
        options.struct_size = sizeof options;
        options.argv = (const char *const *)(argv + start);
        status = mcpd_scan_add(scan, &options, (uint64_t)start, error);
    }
    return status;
}

static void print_item(const mcpd_scan_item *item, const char *command)
{
    const mcpd_verdict *verdict = item->verdict;
    mcpd_str text = verdict != NULL ? verdict->summary : item->error->message;
    mcpd_text *printable; /* the summary may quote the server */
    printf("%-20s %-8s ", command, verdict != NULL ? mcpd_era_name(verdict->era) : "failed");
    if (mcpd_text_printable(text.ptr, text.len, &printable, NULL) == MCPD_OK)
        printf("%s\n", printable->text.ptr);
    mcpd_text_free(printable);
}

int main(int argc, char **argv)
{
    mcpd_scan *scan;
    mcpd_scan_item *item;
    mcpd_error *error;
    int failed = 0;
    if (argc < 2) {
        fprintf(stderr, "usage: scan COMMAND [ARGUMENT]... [-- COMMAND [ARGUMENT]...]...\n");
        return 2;
    }
    if (mcpd_scan_new(NULL, &scan, &error) != MCPD_OK)
        return fail(error);
    mcpd_status status = add_all(scan, argc, argv, &error);
    while (status == MCPD_OK && (status = mcpd_scan_next(scan, 0, &item, &error)) == MCPD_OK && item != NULL) {
        print_item(item, argv[item->tag]);
        failed |= item->status != MCPD_OK;
        mcpd_scan_item_free(item);
    }
    mcpd_scan_free(scan);
    return status == MCPD_OK ? failed : fail(error);
}
