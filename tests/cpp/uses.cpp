// What the C++ header gives and refuses, as a program of C++17 and later reads it.
#include "mcp_discover.hpp"

#include "../c/check.h"

#include <algorithm>
#include <thread>
#include <type_traits>

#include <unistd.h>

#if __cplusplus >= 202002L
#include <ranges>
static_assert(std::ranges::forward_range<mcpd::list<std::string_view>>);
static_assert(std::ranges::sized_range<mcpd::list<mcpd::remark>>);
#endif

using namespace std::string_literals;

template <class T> constexpr bool moves_only = std::is_nothrow_move_constructible_v<T> && !std::is_copy_constructible_v<T>;
static_assert(moves_only<mcpd::scan_item> && moves_only<mcpd::connection> && moves_only<mcpd::negotiation>);
static_assert(moves_only<mcpd::verdict> && moves_only<mcpd::reply> && moves_only<mcpd::cancel>);
static_assert(std::is_nothrow_copy_constructible_v<mcpd::error>);

// What a call throws.
template <class Call> static std::optional<mcpd::error> failure(Call call)
{
    try {
        call();
    } catch (const mcpd::error &error) {
        return error;
    }
    return std::nullopt;
}

static bool has(std::string_view text, std::string_view part)
{
    return text.find(part) != std::string_view::npos;
}

static mcpd::client_info whole_client()
{
    mcpd::client_info client{"me", "1"};
    client.title = "T";
    client.description = "D";
    client.website_url = "https://example.org";
    client.icons_json = "[{\"src\": \"data:,\"}]";
    return client;
}

static void requests()
{
    CHECK(has(mcpd::build_request(), "\"id\":\"discover-1\""));

    mcpd::request_options options;
    options.method = mcpd::method::initialize;
    options.id = -7;
    options.protocol_version = "2025-06-18";
    options.client = whole_client();
    options.client_capabilities_json = "{\"roots\": {}}";
    options.meta_json = "{\"progressToken\": 7}";
    CHECK(mcpd::build_request(options)
          == "{\"jsonrpc\":\"2.0\",\"id\":-7,\"method\":\"initialize\",\"params\":{"
             "\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"roots\":{}},"
             "\"clientInfo\":{\"name\":\"me\",\"version\":\"1\",\"title\":\"T\",\"description\":\"D\","
             "\"websiteUrl\":\"https://example.org\",\"icons\":[{\"src\":\"data:,\"}]},"
             "\"_meta\":{\"progressToken\":7}}}");

    mcpd::request_options with_text;
    with_text.id = "seven";
    with_text.log_level = "warning";
    CHECK(has(mcpd::build_request(with_text), "\"id\":\"seven\""));
    CHECK(has(mcpd::build_request(with_text), "\"warning\""));
}

static void refusals()
{
    mcpd::request_options options;
    options.meta_json = "{\"a\":}";
    auto error = failure([&] { mcpd::build_request(options); });
    CHECK(error && error->status() == mcpd::status::invalid_json);
    CHECK(error && error->argument() == "meta_json" && error->offset() == 5);
    CHECK(error && has(error->what(), "meta_json: "));

    // What C would not see is refused, not cut off.
    options.meta_json = "{}\0{}"s;
    error = failure([&] { mcpd::build_request(options); });
    CHECK(error && error->status() == mcpd::status::invalid_argument);
    CHECK(error && error->argument() == "meta_json" && error->offset() == 2);

    mcpd::probe_options probe;
    error = failure([&] { mcpd::probe(probe); });
    CHECK(error && error->status() == mcpd::status::invalid_argument && error->argument() == "argv");
    CHECK(error && !error->offset());
    probe.argv = {"true", "a\0b"s};
    error = failure([&] { mcpd::probe(probe); });
    CHECK(error && error->argument() == "argv[1]");
    probe.argv = {"no-such-command-anywhere"};
    error = failure([&] { mcpd::probe(probe); });
    CHECK(error && error->status() == mcpd::status::command_not_found && error->argument() == "argv");

    error = failure([] { mcpd::parse_reply(""); });
    CHECK(error && error->status() == mcpd::status::invalid_json && error->offset() == 0);
    CHECK(failure([] { mcpd::parse_reply(std::string_view()); }).has_value());
    error = failure([] { mcpd::select_version(std::vector<std::string>(), std::vector<std::string>{"2025-06-18"}); });
    CHECK(error && error->argument() == "modern[0]");
    CHECK(mcpd::name(mcpd::status::command_not_found) == "command_not_found");
}

static void discovered(const mcpd::discover_result &result)
{
    CHECK(result.result_type() == "complete");
    CHECK(result.supported_versions().size() == 2 && result.supported_versions()[1] == "2026-07-28");
    CHECK(result.instructions() == std::string_view("a\0b", 3));
    CHECK(result.ttl() == std::chrono::minutes(1));
    CHECK(result.has_cache_scope() && result.cache_scope() == mcpd::cache_scope::public_);
    CHECK(result.meta_json() && has(*result.meta_json(), "serverInfo") && has(result.json(), "supportedVersions"));

    auto can = result.capabilities();
    CHECK(can && can->tools() && can->tools_list_changed() && can->logging() && !can->prompts());
    CHECK(can && !can->resources() && !can->resources_subscribe() && !can->resources_list_changed());
    CHECK(can && !can->prompts_list_changed() && !can->completions() && can->experimental().empty());
    std::vector<std::string> names;
    for (auto [name, json] : can->extensions())
        names.push_back(std::string(name) + ' ' + std::string(json));
    CHECK(names == std::vector<std::string>({"org.example/x {\"a\":[1]}", "org.example/y {}"}));
    CHECK(has(can->json(), "org.example/x"));

    auto server = result.server();
    CHECK(server && server->name() == "demo" && server->version() == "1.2" && !server->title());
    CHECK(server && !server->description() && !server->website_url() && server->icons().size() == 1);
    mcpd::icon icon = server->icons()[0];
    CHECK(icon.src() == "https://example.org/i.png" && !icon.mime_type() && !icon.theme());
    CHECK(icon.sizes().size() == 1 && icon.sizes()[0] == "any");
}

static const char discover_result[] =
    "{\"jsonrpc\":\"2.0\",\"id\":\"discover-1\",\"result\":{"
    "\"resultType\":\"complete\",\"supportedVersions\":[\"2027-01-01\",\"2026-07-28\"],"
    "\"capabilities\":{\"tools\":{\"listChanged\":true},\"logging\":{},"
    "\"extensions\":{\"org.example/x\":{\"a\":[1]},\"org.example/y\":{}}},"
    "\"instructions\":\"a\\u0000b\",\"ttlMs\":60000,\"cacheScope\":\"public\","
    "\"_meta\":{\"io.modelcontextprotocol/serverInfo\":{\"name\":\"demo\",\"version\":\"1.2\","
    "\"icons\":[{\"src\":\"https://example.org/i.png\",\"sizes\":[\"any\"]}]}}}}";

static void replies()
{
    mcpd::reply reply = mcpd::parse_reply(discover_result);
    CHECK(reply.kind() == mcpd::reply_kind::discover && reply.json() == discover_result);
    CHECK(!reply.initialize() && !reply.rpc_error() && reply.remarks().empty());
    CHECK(reply.discover().has_value());
    discovered(*reply.discover());
    CHECK(mcpd::select_version(reply.discover()->supported_versions()) == "2026-07-28");

    // Owners move, and views stay.
    mcpd::discover_result view = *reply.discover();
    mcpd::reply moved = std::move(reply);
    CHECK(view.get() == moved.get()->discover && view.supported_versions()[0] == "2027-01-01");
    mcpd::reply adopted(moved.release());
    CHECK(adopted.kind() == mcpd::reply_kind::discover);

    mcpd::reply_options options;
    options.method = mcpd::method::initialize;
    options.id = "seven";
    adopted = mcpd::parse_reply("{\"jsonrpc\":\"2.0\",\"id\":\"seven\",\"result\":{\"protocolVersion\":\"2025-06-18\","
                                "\"capabilities\":{},\"serverInfo\":{\"name\":\"old\",\"version\":\"0\"},"
                                "\"instructions\":\"\"}}",
                                options);
    auto initialized = adopted.initialize();
    CHECK(initialized && initialized->protocol_version() == "2025-06-18" && initialized->server()->name() == "old");
    CHECK(initialized && initialized->instructions() == "" && !initialized->meta_json());
    CHECK(initialized && !initialized->capabilities()->tools() && has(initialized->json(), "protocolVersion"));

    adopted = mcpd::parse_reply("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32022,\"message\":\"no\",\"data\":{"
                                "\"supported\":[\"2027-01-01\"],\"requested\":\"2026-07-28\"}}}");
    auto error = adopted.rpc_error();
    CHECK(error && error->code() == mcpd::rpc_error::unsupported_protocol_version && error->message() == "no");
    CHECK(error && error->supported().size() == 1 && error->requested() == "2026-07-28");
    CHECK(error && error->data_json() && !error->required_capabilities_json() && has(error->json(), "-32022"));

    adopted = mcpd::parse_reply("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"supportedVersions\":[\"a\"]}}");
    auto remarks = adopted.remarks();
    auto missing = std::find_if(remarks.begin(), remarks.end(),
                                [](mcpd::remark r) { return r.code() == mcpd::remark_code::missing_ttl; });
    CHECK(missing != remarks.end() && (*missing).text() == mcpd::sentence(mcpd::remark_code::missing_ttl));
    CHECK(mcpd::name(mcpd::remark_code::missing_ttl) == "missing_ttl");
    CHECK(!adopted.discover()->ttl() && !adopted.discover()->has_cache_scope());
    CHECK(adopted.discover()->cache_scope() == mcpd::cache_scope::private_);
}

static void versions()
{
    CHECK(mcpd::library_version() == mcpd_version() && mcpd::abi_version() == MCPD_ABI_VERSION);
    CHECK(mcpd::version_era("2025-11-25") == mcpd::era::legacy);
    CHECK(mcpd::version_era(std::string(mcpd::modern_versions().at(0))) == mcpd::era::modern);
    CHECK(mcpd::legacy_versions().size() == 4 && mcpd::legacy_versions()[0] == "2025-11-25");
    const std::vector<std::string> named = {"new", "2024-11-05"};
    CHECK(mcpd::select_version(named) == "2024-11-05");
    CHECK(mcpd::select_version(named, std::vector<std::string>{"newer", "new"}) == "new");
    CHECK(!mcpd::select_version(named, std::nullopt, std::vector<std::string>()));
    CHECK(mcpd::printable("\x1b[2J\n") == "\\x1b[2J\\n" && mcpd::printable({}).empty());
}

static void verdicts()
{
    mcpd::cancel cancel;
    mcpd::probe_options options;
    options.argv = {"/bin/sh", "-c", "echo starting; echo \"$SAYS\" >&2; read -r line; printf '%s\\n' \"$1\"; read -r end",
                    "sh", discover_result};
    options.env = {"SAYS=oops"};
    options.cwd = "/";
    options.client = whole_client();
    options.client_capabilities_json = "{}";
    options.cancel = &cancel;
    options.modern_versions = {"2026-07-28"};
    options.legacy_versions = std::vector<std::string>();
    options.timeout = std::chrono::minutes(1);
    options.discover_timeout = std::chrono::seconds(50);
    options.grace = std::chrono::seconds(20);
    options.max_transcript_bytes = 100000;
    mcpd::verdict verdict = mcpd::probe(options);

    CHECK(verdict.era() == mcpd::era::modern && mcpd::name(verdict.era()) == "modern");
    CHECK(verdict.next() == mcpd::next::use_modern && mcpd::name(verdict.next()) == "use_modern");
    CHECK(verdict.version() == "2026-07-28" && verdict.confirmed() && verdict.storable());
    CHECK(verdict.discover_outcome() == mcpd::outcome::result);
    CHECK(verdict.initialize_outcome() == mcpd::outcome::not_asked);
    CHECK(mcpd::name(verdict.initialize_outcome()) == "not_asked");
    CHECK(!verdict.summary().empty() && verdict.starts() == 1);
    CHECK(verdict.received_at() && *verdict.received_at() <= std::chrono::system_clock::now());
    CHECK(verdict.reply_time() && *verdict.reply_time() <= verdict.elapsed());
    CHECK(verdict.server() && verdict.server()->name() == "demo" && verdict.capabilities()->tools());
    CHECK(verdict.instructions() && verdict.supported_versions().size() == 2);
    CHECK(verdict.discover().has_value());
    discovered(*verdict.discover());
    CHECK(!verdict.initialize() && !verdict.discover_error() && !verdict.initialize_error());
    CHECK(verdict.remarks().size() == 1 && verdict.remarks()[0].code() == mcpd::remark_code::noise);

    CHECK(verdict.processes().size() == 1);
    mcpd::process process = verdict.processes()[0];
    CHECK(process.exit_kind() == mcpd::exit_kind::code && mcpd::name(process.exit_kind()) == "code");
    CHECK(process.shutdown() == mcpd::shutdown::stdin_closed && mcpd::name(process.shutdown()) == "stdin_closed");
    CHECK(process.exit_value() == 1 && process.stderr_tail() == "oops\n");
    CHECK(process.bytes_received() == sizeof "starting" + sizeof discover_result && process.skipped_lines() == 1);
    CHECK(process.skipped_sample().size() == 1 && process.skipped_sample()[0] == "starting");

    CHECK(!verdict.transcript_truncated() && verdict.transcript().size() >= 2);
    std::string said;
    for (mcpd::transcript_entry entry : verdict.transcript()) {
        CHECK(entry.process() == 0 && entry.at() <= verdict.elapsed());
        if (entry.direction() == mcpd::direction::from_server)
            said += entry.data();
    }
    CHECK(said == "starting\n"s + discover_result + '\n');
    CHECK(mcpd::name(mcpd::direction::to_server) == "to_server");
    CHECK(has(verdict.to_json(), "{\"schema\":1,\"era\":\"modern\""));

    const mcpd::verdict again = mcpd::verdict::from_json(verdict.to_json());
    CHECK(again.era() == mcpd::era::modern && again.storable() && again.server()->name() == verdict.server()->name());
    CHECK(again.to_json() == verdict.to_json());
    CHECK(again.is_fresh(*again.received_at()) && !again.is_fresh(*again.received_at() + std::chrono::minutes(1)));
    CHECK(mcpd::verdict::from_json("{\"schema\":1,\"era\":\"x\",\"next\":\"y\"}").era() == mcpd::era::unrecognized);
    try {
        mcpd::verdict::from_json("");
        CHECK(false);
    } catch (const mcpd::error &error) {
        CHECK(error.status() == mcpd::status::invalid_json && error.offset() == 0);
    }
}

static void cancelled()
{
    mcpd::cancel cancel;
    mcpd::probe_options options;
    options.argv = {"sleep", "60"};
    options.cancel = &cancel;
    options.fallback = mcpd::fallback::none;
    options.env_mode = mcpd::env_mode::inherit;
    options.stderr_mode = mcpd::stderr_mode::discard;
    options.max_starts = 1;
    options.max_line_bytes = options.max_stderr_bytes = 1000;
    options.grace = mcpd::no_grace;
    mcpd::status fired = mcpd::status::internal_error;
    std::thread other([&] { fired = cancel.fire(); });
    auto error = failure([&] { mcpd::probe(options); });
    other.join();
    CHECK(fired == mcpd::status::ok && error && error->status() == mcpd::status::cancelled);
    const mcpd::error copy = *error;
    CHECK(copy.what() == error->what());
}

static void exchanges()
{
    mcpd::http_options options;
    options.client = whole_client();
    options.client_capabilities_json = "{}";
    options.modern_versions = {"2026-10-01", "2026-07-28"};
    options.max_body_bytes = 1000;
    mcpd::http http(options);
    mcpd::http_post first = http.request();
    CHECK(first.headers().size() == 4 && first.headers()[2].name == "MCP-Protocol-Version");
    CHECK(first.headers()[2].value == "2026-10-01" && has(first.body(), "server/discover"));
    http.status(400, "application/json");
    CHECK(!http.feed("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32022,\"message\":\"no\",") && !http.feed({}));
    CHECK(!http.feed("\"data\":{\"supported\":[\"2026-07-28\"]}}}") && !http.verdict());
    CHECK(http.request().headers()[2].value == "2026-07-28");
    http.status(200, "text/event-stream");
    CHECK(http.feed("data: {\"jsonrpc\":\"2.0\",\"id\":\"discover-2\",\"result\":{\"supportedVersions\":[\"2026-07-28\"]}}\n\n"));
    std::optional<mcpd::verdict> verdict = http.verdict();
    CHECK(verdict && verdict->next() == mcpd::next::use_modern && verdict->processes().empty());
    auto error = failure([&] { http.request(); });
    CHECK(error && error->argument() == "http");

    mcpd::http other;
    error = failure([&] { other.status(100); });
    CHECK(error && error->argument() == "status");
    other.status(401);
    CHECK(other.verdict()->next() == mcpd::next::authorize);
    options.modern_versions = {"a\r\nb"};
    error = failure([&] { mcpd::http refused(options); });
    CHECK(error && error->argument() == "modern_versions[0]");
}

static const std::vector<std::string> modern_server = {
    "/bin/sh", "-c", "read -r line; printf '%s\\n' \"$1\"; read -r end", "sh", discover_result};

static void scans()
{
    mcpd::scan_options options;
    options.max_running = 2;
    mcpd::scan scan(options);
    mcpd::probe_options probe;
    probe.argv = modern_server;
    for (std::uint64_t tag = 0; tag < 3; ++tag)
        scan.add(probe, tag);
    probe.argv = {"no-such-command-anywhere"};
    scan.add(probe, 3);
    std::uint64_t seen = 0;
    for (mcpd::scan_item &item : scan) {
        seen |= std::uint64_t(1) << item.tag();
        CHECK(item.verdict().has_value() == (item.tag() != 3) && item.error().has_value() == (item.tag() == 3));
        if (auto verdict = item.verdict())
            CHECK(verdict->era() == mcpd::era::modern && item.status() == mcpd::status::ok);
        if (auto error = item.error())
            CHECK(error->status() == item.status() && item.status() == mcpd::status::command_not_found);
    }
    CHECK(seen == 15 && !scan.next());

    probe.argv = {"sleep", "60"};
    scan.add(probe, 4);
    auto error = failure([&] { scan.next(std::chrono::milliseconds(0)); });
    CHECK(error && error->status() == mcpd::status::timed_out);
    CHECK(scan.cancel() == mcpd::status::ok);
    auto item = scan.next(std::chrono::minutes(1));
    CHECK(item && item->tag() == 4 && item->status() == mcpd::status::cancelled && !item->verdict());
    CHECK(failure([&] { scan.add(probe, 5); }).has_value());
}

static void connections()
{
    mcpd::probe_options options;
    options.argv = modern_server;
    auto [verdict, connection] = mcpd::open_connection(options);
    CHECK(verdict.next() == mcpd::next::use_modern && connection.has_value());
    CHECK(connection->version() == "2026-07-28" && connection->era() == mcpd::era::modern && connection->pid() > 0);
    CHECK(connection->unread().empty() && connection->stdin_fd() > 2 && connection->stdout_fd() > 2);
    CHECK(connection->stderr_fd() > 2 && verdict.processes()[0].shutdown() == mcpd::shutdown::kept);

    // What is known already is not asked again.
    auto again = mcpd::open_connection(options, &verdict);
    CHECK(again.connection && again.verdict.version() == verdict.version());
    again.connection->close(mcpd::no_grace);
    connection->close(std::chrono::seconds(20));
    CHECK(connection->shutdown() == mcpd::shutdown::stdin_closed && connection->stdin_fd() == -1);
    CHECK(connection->exit_kind() == mcpd::exit_kind::code && connection->exit_value() == 1);
    CHECK(failure([&] { connection->hand_over(); }).has_value());

    options.argv = {"true"};
    CHECK(!mcpd::open_connection(options).connection);
}

static void descriptors()
{
    int to_server[2], from_server[2];
    CHECK(pipe(to_server) == 0 && pipe(from_server) == 0);
    const std::string said = discover_result + "\nmore"s;
    CHECK(write(from_server[1], said.data(), said.size()) == static_cast<ssize_t>(said.size()));
    auto [verdict, connection] = mcpd::open_descriptors({}, to_server[1], from_server[0]);
    CHECK(verdict.era() == mcpd::era::modern && connection && connection->unread() == "more");
    CHECK(connection && connection->pid() == 0 && connection->stdout_fd() == from_server[0]);
    auto prior = mcpd::open_descriptors({}, to_server[1], from_server[0], &verdict);
    CHECK(prior.connection && prior.verdict.version() == "2026-07-28");
    CHECK(write(from_server[1], said.data(), said.size()) == static_cast<ssize_t>(said.size()));
    CHECK(mcpd::probe_descriptors({}, to_server[1], from_server[0]).era() == mcpd::era::modern);
    for (int fd : {to_server[0], to_server[1], from_server[0], from_server[1]})
        CHECK(close(fd) == 0);
}

static void negotiations()
{
    const mcpd::negotiation::time_point now(std::chrono::seconds(5));
    mcpd::probe_options options;
    options.discover_timeout = std::chrono::seconds(3);
    mcpd::negotiation negotiation(options);
    CHECK(negotiation.step() == mcpd::step::start && mcpd::name(negotiation.step()) == "start");
    negotiation.started(now);
    CHECK(negotiation.next(now) == mcpd::step::send && has(negotiation.line().value_or(""), "server/discover"));
    CHECK(negotiation.next(now) == mcpd::step::wait && !negotiation.line());
    CHECK(negotiation.deadline() == now + options.discover_timeout);
    negotiation.received("noise\n", now);
    negotiation.received_message(discover_result, now);
    CHECK(negotiation.next(now) == mcpd::step::close);
    negotiation.closed(mcpd::outcome::stdout_closed, now);
    CHECK(negotiation.next(now) == mcpd::step::finish);
    mcpd::verdict verdict = negotiation.verdict(std::chrono::system_clock::time_point(std::chrono::hours(24)));
    CHECK(verdict.era() == mcpd::era::modern && verdict.remarks().size() == 1);
    CHECK(verdict.received_at() == mcpd::time_point(std::chrono::hours(24)));
    CHECK(failure([&] { negotiation.next(now); }).has_value());

    // A verdict is a view of itself.
    const mcpd::verdict_view view = verdict;
    mcpd::verdict adopted(verdict.release());
    CHECK(view.get() == adopted.get() && view.version() == "2026-07-28");
}

int main()
{
    exchanges();
    requests();
    refusals();
    replies();
    versions();
    verdicts();
    cancelled();
    scans();
    connections();
    descriptors();
    negotiations();
    return failures != 0;
}
