/* A reply that memory does not suffice for is a status, and the library works on. */
#define _POSIX_C_SOURCE 200809L
#include <sys/resource.h>

#include "check.h"

enum { MEBIBYTE = 1 << 20, SIZE = 64 * MEBIBYTE };

int main(void)
{
    static const char head[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"supportedVersions\":[\"2026-07-28\"],"
        "\"instructions\":\"";
    static const char tail[] = "\"}}";
    char *data = malloc(SIZE);
    CHECK(data != NULL);
    memset(data, 'x', SIZE);
    memcpy(data, head, sizeof head - 1);
    memcpy(data + SIZE - (sizeof tail - 1), tail, sizeof tail - 1);

    struct rlimit limit = {200 * MEBIBYTE, 200 * MEBIBYTE};
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
    mcpd_reply *reply;
    mcpd_error *error;
    CHECK(mcpd_reply_parse(data, SIZE, NULL, &reply, &error) == MCPD_OUT_OF_MEMORY);
    CHECK(reply == NULL);
    CHECK(error != NULL && error->status == MCPD_OUT_OF_MEMORY && error->message.len > 0);
    mcpd_error_free(error);

    mcpd_verdict *verdict;
    CHECK(mcpd_verdict_from_json(data, SIZE, &verdict, &error) == MCPD_OUT_OF_MEMORY);
    CHECK(verdict == NULL);
    mcpd_error_free(error);
    free(data);

    mcpd_text *request;
    CHECK(mcpd_request_build(NULL, &request, NULL) == MCPD_OK);
    mcpd_text_free(request);
    return failures != 0;
}
