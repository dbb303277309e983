/* Prints the request that asks a server who it is. Send it as one line, and read one line back. */
#include <stdio.h>

#include "mcp_discover.h"

int main(void)
{
    mcpd_request_options options = {0};
    options.struct_size = sizeof options;
    options.client_name = "my-client";
    options.client_version = "1.0.0";
    options.client_capabilities_json = "{\"elicitation\": {}}";
    options.log_level = "warning";

    mcpd_text *request;
    mcpd_error *error;
    if (mcpd_request_build(&options, &request, &error) != MCPD_OK) {
        fprintf(stderr, "build_request: %s\n", error->message.ptr);
        mcpd_error_free(error);
        return 1;
    }
    puts(request->text.ptr);
    mcpd_text_free(request);
    return 0;
}
