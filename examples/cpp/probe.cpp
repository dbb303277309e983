// Starts a server, and tells who it is, how to speak to it, and why: probe COMMAND [ARGUMENT]...
#include <iostream>

#include "mcp_discover.hpp"

// Texts come from the server: nothing in them may reach the terminal as a command.
static void print(std::string_view label, std::optional<std::string_view> text)
{
    if (text)
        std::cout << label << ": " << mcpd::printable(*text) << '\n';
}

static void print(const mcpd::verdict &verdict)
{
    if (auto server = verdict.server()) {
        print("server", server->name());
        print("version", server->version());
    }
    std::cout << "era: " << mcpd::name(verdict.era()) << (verdict.confirmed() ? ", and the server said so\n" : "\n");
    std::cout << "next: " << mcpd::name(verdict.next()) << '\n';
    print("with", verdict.version());
    print("why", verdict.summary());
    for (std::string_view version : verdict.supported_versions())
        print("speaks", version);
    if (auto capabilities = verdict.capabilities(); capabilities && capabilities->tools())
        std::cout << "tools: yes" << (capabilities->tools_list_changed() ? ", and it tells when they change\n" : "\n");
    for (mcpd::remark remark : verdict.remarks())
        print("remark", remark.text());
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        std::cerr << "usage: probe COMMAND [ARGUMENT]...\n";
        return 2;
    }
    mcpd::probe_options options;
    options.argv.assign(argv + 1, argv + argc);
    options.client = mcpd::client_info{"probe", "1.0.0"};
    options.timeout = std::chrono::seconds(20);
    try {
        mcpd::verdict verdict = mcpd::probe(options);
        print(verdict);
        return verdict.era() == mcpd::era::unknown ? 3 : 0;
    } catch (const mcpd::error &error) {
        std::cerr << "probe: " << error.what() << '\n';
        return 1;
    }
}
