// The two halves for a program with a transport of its own: prints the request, and reads the answer from standard input.
#include <iostream>

#include "mcp_discover.hpp"

static void print(const mcpd::discover_result &result)
{
    std::optional<std::string> version = mcpd::select_version(result.supported_versions());
    std::cout << "go on in: " << version.value_or("no version that both sides speak") << '\n';
    if (auto ttl = result.ttl())
        std::cout << "fresh for: " << ttl->count() << " ms, " << mcpd::name(result.cache_scope()) << '\n';
    if (auto capabilities = result.capabilities())
        for (auto [name, json] : capabilities->extensions())
            std::cout << "extension: " << mcpd::printable(name) << ' ' << mcpd::printable(json) << '\n';
}

int main()
try {
    mcpd::request_options request;
    request.id = 1;
    request.client = mcpd::client_info{"my-client", "1.0.0"};
    std::cout << mcpd::build_request(request) << std::endl;

    std::string line;
    std::getline(std::cin, line);
    mcpd::reply_options expected;
    expected.id = request.id;
    mcpd::reply reply = mcpd::parse_reply(line, expected);
    std::cout << "reply: " << mcpd::name(reply.kind()) << '\n';
    if (auto result = reply.discover())
        print(*result);
    if (auto error = reply.rpc_error())
        std::cout << "error: " << error->code() << ' ' << mcpd::printable(error->message().value_or("")) << '\n';
    for (mcpd::remark remark : reply.remarks())
        std::cout << "remark: " << mcpd::printable(remark.text()) << '\n';
    return 0;
} catch (const mcpd::error &error) {
    std::cerr << "parse_reply: " << error.what() << '\n';
    return 1;
}
