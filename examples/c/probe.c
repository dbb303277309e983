/* Starts a server, and tells who it is, how to speak to it, and why: probe COMMAND [ARGUMENT]... */
#include <stdio.h>

#include "mcp_discover.h"

/* Texts come from the server: nothing in them may reach the terminal as a command. */
static void print(const char *label, mcpd_str text)
{
    mcpd_text *printable;
    if (text.ptr == NULL || mcpd_text_printable(text.ptr, text.len, &printable, NULL) != MCPD_OK)
        return;
    printf("%-13s%s\n", label, printable->text.ptr);
    mcpd_text_free(printable);
}

/* The end of what a server wrote to standard error, line by line. */
static void print_last_lines(const char *label, mcpd_str text, int lines)
{
    size_t start = text.len;
    while (start > 0 && (text.ptr[start - 1] != '\n' || start == text.len || lines-- > 1))
        start--;
    while (start < text.len) {
        size_t end = start;
        while (end < text.len && text.ptr[end] != '\n')
            end++;
        mcpd_str line = {text.ptr + start, end - start};
        print(label, line);
        start = end + 1;
    }
}

static void print_capabilities(const mcpd_server_capabilities *can)
{
    printf("%-12s", "capabilities");
    if (can->tools)
        printf(" tools%s", can->tools_list_changed ? "+listChanged" : "");
    if (can->resources)
        printf(" resources%s%s", can->resources_subscribe ? "+subscribe" : "",
               can->resources_list_changed ? "+listChanged" : "");
    if (can->prompts)
        printf(" prompts%s", can->prompts_list_changed ? "+listChanged" : "");
    if (can->completions)
        printf(" completions");
    if (can->logging)
        printf(" logging");
    putchar('\n');
    for (size_t i = 0; i < can->extensions_count; i++)
        print("extension", can->extensions[i].name);
}

static void print_process(const mcpd_process *process, mcpd_era era)
{
    printf("%-13s", "process");
    if (process->exit_kind == MCPD_EXIT_CODE)
        printf("exit code %d, ", (int)process->exit_value);
    else if (process->exit_kind == MCPD_EXIT_SIGNAL)
        printf("signal %d, ", (int)process->exit_value);
    printf("%s\n", mcpd_shutdown_name(process->shutdown));
    for (size_t i = 0; i < process->skipped_sample_count; i++)
        print("  skipped", process->skipped_sample[i]);
    if (era == MCPD_ERA_UNKNOWN)
        print_last_lines("  stderr", process->stderr_tail, 20);
}

static void print_verdict(const mcpd_verdict *verdict)
{
    if (verdict->server != NULL) {
        print("server", verdict->server->name);
        print("  version", verdict->server->version);
        print("  title", verdict->server->title);
    }
    printf("%-13s%s%s\n", "era", mcpd_era_name(verdict->era),
           verdict->confirmed ? ", and the server said so" : "");
    printf("%-13s%s\n", "next", mcpd_next_name(verdict->next));
    print("  with", verdict->version);
    print("why", verdict->summary);
    for (size_t i = 0; i < verdict->supported_versions_count; i++)
        print("speaks", verdict->supported_versions[i]);
    if (verdict->capabilities != NULL)
        print_capabilities(verdict->capabilities);
    printf("%-13sdiscover: %s, initialize: %s\n", "asked",
           mcpd_outcome_name(verdict->discover_outcome),
           mcpd_outcome_name(verdict->initialize_outcome));
    for (size_t i = 0; i < verdict->remarks_count; i++)
        print("remark", verdict->remarks[i]->text);
    for (size_t i = 0; i < verdict->processes_count; i++)
        print_process(verdict->processes[i], verdict->era);
    printf("%-13s%.0f ms\n", "took", verdict->elapsed_ms);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: probe COMMAND [ARGUMENT]...\n");
        return 2;
    }
    mcpd_probe_options options = {0};
    options.struct_size = sizeof options;
    options.argv = (const char *const *)(argv + 1);
    options.client_name = "probe";
    options.client_version = "1.0.0";

    mcpd_verdict *verdict;
    mcpd_error *error;
    if (mcpd_probe_stdio(&options, &verdict, &error) != MCPD_OK) {
        fprintf(stderr, "probe: %s\n", error->message.ptr);
        mcpd_error_free(error);
        return 1;
    }
    print_verdict(verdict);
    int exit_status = verdict->era == MCPD_ERA_UNKNOWN ? 3 : 0;
    mcpd_verdict_free(verdict);
    return exit_status;
}
