/* Reads a server's answer to server/discover from standard input, and prints what it says. */
#include <stdio.h>

#include "mcp_discover.h"

/* Texts come from the server: nothing in them may reach the terminal as a command. */
static void print(const char *label, mcpd_str text)
{
    mcpd_text *printable;
    if (text.ptr == NULL || mcpd_text_printable(text.ptr, text.len, &printable, NULL) != MCPD_OK)
        return;
    printf("%-11s%s\n", label, printable->text.ptr);
    mcpd_text_free(printable);
}

static void print_result(const mcpd_discover_result *result)
{
    if (result->server != NULL)
        print("server:", result->server->name);
    for (size_t i = 0; i < result->supported_versions_count; i++)
        print("version:", result->supported_versions[i]);
    if (result->capabilities != NULL && result->capabilities->tools)
        printf("tools:     yes%s\n",
               result->capabilities->tools_list_changed ? ", and it tells when they change" : "");
    if (result->has_ttl_ms)
        printf("fresh for: %lld ms, %s\n", (long long)result->ttl_ms,
               mcpd_cache_scope_name(result->cache_scope));

    const char *version;
    mcpd_status status = mcpd_versions_select(NULL, NULL, result->supported_versions,
                                              result->supported_versions_count, &version, NULL);
    if (status == MCPD_OK)
        printf("go on in:  %s\n", version != NULL ? version : "no version that both sides speak");
}

int main(void)
{
    static char data[1 << 20];
    size_t length = fread(data, 1, sizeof data, stdin);

    mcpd_reply *reply;
    mcpd_error *error;
    if (mcpd_reply_parse(data, length, NULL, &reply, &error) != MCPD_OK) {
        fprintf(stderr, "parse_reply: %s\n", error->message.ptr);
        mcpd_error_free(error);
        return 1;
    }
    printf("reply:     %s\n", mcpd_reply_kind_name(reply->kind));
    if (reply->discover != NULL)
        print_result(reply->discover);
    if (reply->rpc_error != NULL) {
        printf("error:     %lld\n", (long long)reply->rpc_error->code);
        print("message:", reply->rpc_error->message);
    }
    for (size_t i = 0; i < reply->remarks_count; i++)
        print("remark:", reply->remarks[i]->text);
    mcpd_reply_free(reply);
    return 0;
}
