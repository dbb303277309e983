// Probes several servers at once, and tells of each as soon as it is known:
// scan COMMAND [ARGUMENT]... [-- COMMAND [ARGUMENT]...]...
#include <iostream>

#include "mcp_discover.hpp"

int main(int argc, char **argv)
try {
    std::vector<mcpd::probe_options> servers(1);
    for (int i = 1; i < argc; ++i) {
        if (argv[i] == std::string_view("--"))
            servers.emplace_back();
        else
            servers.back().argv.emplace_back(argv[i]);
    }
    mcpd::scan scan;
    for (std::size_t i = 0; i < servers.size(); ++i)
        scan.add(servers[i], i);

    bool failed = false;
    for (mcpd::scan_item &item : scan) {
        std::cout << servers[item.tag()].argv[0] << ": ";
        if (auto verdict = item.verdict()) {
            std::cout << mcpd::name(verdict->era()) << ": " << mcpd::printable(verdict->summary()) << '\n';
        } else {
            std::cout << "failed: " << item.error()->what() << '\n';
            failed = true;
        }
    }
    return failed ? 1 : 0;
} catch (const mcpd::error &error) {
    std::cerr << "scan: " << error.what() << '\n';
    return 2;
}
