/* What the functions give when all is well, as a C program reads it. */
#include "check.h"

/* Answers server/discover the modern way, after a line of noise. */
static const char modern_server[] =
    "echo starting; echo oops >&2\n"
    "while read -r line; do case $line in *server/discover*) printf '%s\\n' '{"
    "\"jsonrpc\": \"2.0\", \"id\": \"discover-1\", \"result\": {"
    "\"resultType\": \"complete\", \"supportedVersions\": [\"2027-01-01\", \"2026-07-28\"],"
    "\"capabilities\": {\"tools\": {\"listChanged\": true}, \"logging\": {},"
    " \"extensions\": {\"org.example/x\": {\"a\": [1]}}},"
    "\"instructions\": \"a\\u0000b\", \"ttlMs\": 60000, \"cacheScope\": \"public\","
    "\"_meta\": {\"io.modelcontextprotocol/serverInfo\": {\"name\": \"demo\", \"version\": \"1.2\","
    " \"icons\": [{\"src\": \"https://example.org/i.png\", \"sizes\": [\"any\"]}]}}}}';;\n"
    "esac; done\n";

static void requests(void)
{
    mcpd_text *request;
    mcpd_error *error;
    CHECK(mcpd_request_build(NULL, &request, &error) == MCPD_OK);
    CHECK(error == NULL);
    CHECK(request->struct_size == sizeof *request);
    CHECK(request->text.len == strlen(request->text.ptr));
    CHECK(strstr(request->text.ptr, "\"id\":\"discover-1\"") != NULL);
    CHECK(strstr(request->text.ptr, "\"name\":\"mcp-discover\"") != NULL);
    mcpd_text_free(request);

    mcpd_request_options options = {0};
    options.struct_size = sizeof options;
    options.method = MCPD_METHOD_INITIALIZE;
    options.id_kind = MCPD_ID_INTEGER;
    options.id_integer = -7;
    options.protocol_version = "2025-06-18";
    options.client_name = "line\nbreak \xe2\x80\xa8";
    options.client_version = "1";
    options.client_title = "T";
    options.client_description = "D";
    options.client_website_url = "https://example.org";
    options.client_icons_json = "[ {\"src\": \"data:,\"} ]";
    options.client_capabilities_json = "{\"roots\":\n{}}";
    options.meta_json = "{\"progressToken\": 7}";
    CHECK(mcpd_request_build(&options, &request, NULL) == MCPD_OK);
    CHECK(is(request->text,
             "{\"jsonrpc\":\"2.0\",\"id\":-7,\"method\":\"initialize\",\"params\":{"
             "\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"roots\":{}},"
             "\"clientInfo\":{\"name\":\"line\\nbreak \\u2028\",\"version\":\"1\",\"title\":\"T\","
             "\"description\":\"D\",\"websiteUrl\":\"https://example.org\","
             "\"icons\":[{\"src\":\"data:,\"}]},\"_meta\":{\"progressToken\":7}}}"));
    mcpd_text_free(request);
}

static mcpd_reply *parse(const char *data, const mcpd_reply_options *options)
{
    mcpd_reply *reply;
    mcpd_error *error;
    CHECK(mcpd_reply_parse(data, strlen(data), options, &reply, &error) == MCPD_OK);
    CHECK(error == NULL);
    CHECK(reply->struct_size == sizeof *reply);
    CHECK((reply->discover != NULL) == (reply->kind == MCPD_REPLY_DISCOVER));
    CHECK((reply->initialize != NULL) == (reply->kind == MCPD_REPLY_INITIALIZE));
    CHECK((reply->rpc_error != NULL) == (reply->kind == MCPD_REPLY_RPC_ERROR));
    return reply;
}

static int has_remark(const mcpd_reply *reply, mcpd_remark_code code)
{
    for (size_t i = 0; i < reply->remarks_count; i++)
        if (reply->remarks[i]->code == code && reply->remarks[i]->text.len > 0)
            return 1;
    return 0;
}

static void errors(void)
{
    mcpd_reply *reply = parse("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32022,"
                              "\"message\":\"no\",\"data\":{\"supported\":[\"2027-01-01\"],"
                              "\"requested\":\"2026-07-28\"}}}\r\n",
                              NULL);
    CHECK(reply->kind == MCPD_REPLY_RPC_ERROR);
    CHECK(has_remark(reply, MCPD_REMARK_NULL_ID));
    CHECK(reply->rpc_error->code == MCPD_RPC_UNSUPPORTED_PROTOCOL_VERSION);
    CHECK(is(reply->rpc_error->message, "no"));
    CHECK(reply->rpc_error->supported_count == 1);
    CHECK(is(reply->rpc_error->supported[0], "2027-01-01"));
    CHECK(is(reply->rpc_error->requested, "2026-07-28"));
    CHECK(is(reply->rpc_error->required_capabilities_json, NULL));
    mcpd_reply_free(reply);

    reply = parse("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32021,\"message\":\"no\","
                  "\"data\":{\"requiredCapabilities\":{\"elicitation\":{}}}}}",
                  NULL);
    CHECK(is(reply->rpc_error->required_capabilities_json, "{\"elicitation\":{}}"));
    CHECK(is(reply->rpc_error->data_json, "{\"requiredCapabilities\":{\"elicitation\":{}}}"));
    mcpd_reply_free(reply);
}

static void replies(void)
{
    mcpd_reply_options options = {0};
    options.struct_size = sizeof options;
    options.method = MCPD_METHOD_INITIALIZE;
    options.id_kind = MCPD_ID_INTEGER;
    options.id_integer = 1;
    static const char initialized[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-06-18\","
        "\"capabilities\":{\"prompts\":{}},\"serverInfo\":{\"name\":\"old\",\"version\":\"0\"}}}";
    mcpd_reply *reply = parse(initialized, &options);
    CHECK(reply->kind == MCPD_REPLY_INITIALIZE);
    CHECK(is(reply->json, initialized));
    CHECK(is(reply->initialize->protocol_version, "2025-06-18"));
    CHECK(is(reply->initialize->server->name, "old"));
    CHECK(is(reply->initialize->server->title, NULL));
    CHECK(reply->initialize->server->icons == NULL && reply->initialize->server->icons_count == 0);
    CHECK(reply->initialize->capabilities->prompts == 1);
    CHECK(reply->initialize->capabilities->tools == 0);
    CHECK(is(reply->initialize->instructions, NULL));
    CHECK(reply->remarks == NULL && reply->remarks_count == 0);
    mcpd_reply_free(reply);

    options.id_integer = 2;
    reply = parse(initialized, &options);
    CHECK(reply->kind == MCPD_REPLY_UNRELATED);
    CHECK(has_remark(reply, MCPD_REMARK_FOREIGN_ID));
    mcpd_reply_free(reply);

    reply = parse("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}", NULL);
    CHECK(reply->kind == MCPD_REPLY_UNUSABLE);
    CHECK(has_remark(reply, MCPD_REMARK_MISSING_VERSIONS));
    mcpd_reply_free(reply);

    reply = parse("{\"level\":\"info\"}", NULL);
    CHECK(reply->kind == MCPD_REPLY_UNRELATED);
    CHECK(has_remark(reply, MCPD_REMARK_NOISE));
    mcpd_reply_free(reply);

    reply = parse("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"supportedVersions\":[\"a\"]}} done", NULL);
    CHECK(reply->kind == MCPD_REPLY_DISCOVER);
    CHECK(has_remark(reply, MCPD_REMARK_NOISE));
    CHECK(!has_remark(reply, MCPD_REMARK_SEVERAL_MESSAGES));
    mcpd_reply_free(reply);

    reply = parse(" {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"} "
                  "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"supportedVersions\":[\"a\"]}} x",
                  NULL);
    CHECK(reply->kind == MCPD_REPLY_DISCOVER);
    CHECK(strncmp(reply->json.ptr, "{\"jsonrpc\":\"2.0\",\"id\":1", 22) == 0);
    CHECK(has_remark(reply, MCPD_REMARK_SEVERAL_MESSAGES));
    CHECK(reply->discover->capabilities == NULL && reply->discover->server == NULL);
    CHECK(!reply->discover->has_ttl_ms && !reply->discover->has_cache_scope);
    CHECK(reply->discover->cache_scope == MCPD_CACHE_SCOPE_PRIVATE);
    mcpd_reply_free(reply);
}

/* The text of this number in a block, and whether it is long as its length says. */
static const char *text_of(const mcpd_flat_reply *reply, size_t number)
{
    const char *block = (const char *)reply;
    const char *text = block + reply->texts_offset;
    size_t length = 0;
    CHECK(number < reply->texts_count);
    for (size_t i = 0; i <= number; i++) {
        text += i == 0 ? 0 : length + 1;
        memcpy(&length, block + reply->struct_size + i * sizeof length, sizeof length);
    }
    CHECK(text[length] == '\0');
    CHECK((size_t)(text - block) + length < reply->size);
    return text;
}

static void flat_replies(void)
{
    static const char data[] =
        " {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"complete\","
        "\"supportedVersions\":[\"2027-01-01\",\"2026-07-28\"],\"instructions\":\"a\\u0000b\","
        "\"capabilities\":{\"tools\":{\"listChanged\":true},\"logging\":{},"
        "\"extensions\":{\"org.example/x\":{\"a\":[1]}},\"experimental\":{\"y\":2}},"
        "\"ttlMs\":60000,\"_meta\":{\"io.modelcontextprotocol/serverInfo\":{\"name\":\"\","
        "\"version\":\"1\",\"icons\":[{\"src\":\"i\",\"mimeType\":\"image/png\"}]}}}}\n";
    const size_t length = sizeof data - 1;
    union {
        mcpd_flat_reply reply;
        char bytes[2048];
    } block;
    mcpd_flat_reply alone;
    CHECK(mcpd_flat_reply_parse(data, length, NULL, &alone, sizeof alone, NULL) == MCPD_OK);
    CHECK(alone.size > sizeof alone && alone.size < sizeof block);
    memset(&block, 7, sizeof block);
    CHECK(mcpd_flat_reply_parse(data, length, NULL, &block.reply, alone.size - 1, NULL) == MCPD_OK);
    CHECK(memcmp(&block, &alone, sizeof alone) == 0 && block.bytes[sizeof alone] == 7);

    mcpd_error *error;
    CHECK(mcpd_flat_reply_parse(data, length, NULL, &block.reply, alone.size, &error) == MCPD_OK);
    CHECK(error == NULL);
    CHECK(block.bytes[alone.size - 1] == '\0' && block.bytes[alone.size] == 7);
    CHECK(block.reply.struct_size == sizeof block.reply && block.reply.reserved == 0);
    CHECK(block.reply.kind == MCPD_REPLY_DISCOVER);
    CHECK(block.reply.json_offset == 1 && block.reply.json_length == length - 2);
    CHECK(block.reply.has_ttl_ms == 1 && block.reply.ttl_ms == 60000);
    CHECK(block.reply.cache_scope == MCPD_CACHE_SCOPE_PRIVATE && !block.reply.has_cache_scope);
    CHECK(block.reply.capabilities == (1 | 1 << 1 | 1 << 8));
    CHECK(block.reply.has_server == 1);
    CHECK(block.reply.present == (1 << 1 | 1 << 2 | 1 << 3 | 1 << 7 | 1 << 8));
    const char *const texts[] = {
        "", "complete", "", "1", "", "", "", "[{\"src\":\"i\",\"mimeType\":\"image/png\"}]",
        "2027-01-01", "2026-07-28", "org.example/x", "{\"a\":[1]}", "y", "2", "missing_cache_scope",
    };
    const size_t last = block.reply.texts_count - 1;
    CHECK(block.reply.versions_count == 2 && block.reply.remarks_count == 1);
    CHECK(block.reply.extensions_count == 1 && block.reply.experimental_count == 1);
    CHECK(last == sizeof texts / sizeof *texts + 1);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        CHECK(strcmp(text_of(&block.reply, i), texts[i]) == 0);
    CHECK(strlen(text_of(&block.reply, last - 1)) > 10);
    CHECK(memcmp(text_of(&block.reply, last), "a\0b", 4) == 0);

    static const char refused[] = "{\"id\":1,\"error\":{\"code\":-32022,\"message\":\"\xff\","
                                  "\"data\":{\"supported\":[\"a\"],\"requested\":\"b\"}}}";
    CHECK(mcpd_flat_reply_parse(refused, sizeof refused - 1, NULL, &block.reply, sizeof block, NULL) ==
          MCPD_OK);
    CHECK(block.reply.kind == MCPD_REPLY_RPC_ERROR);
    CHECK(block.reply.rpc_code == MCPD_RPC_UNSUPPORTED_PROTOCOL_VERSION);
    CHECK(block.reply.json_length == 0 && block.reply.capabilities == -1);
    CHECK(block.reply.present == (1 | 1 << 1 | 1 << 2 | 1 << 4));
    CHECK(strstr(text_of(&block.reply, 0), "\xef\xbf\xbd") != NULL);
    CHECK(strcmp(text_of(&block.reply, 1), "\xef\xbf\xbd") == 0);
    CHECK(strcmp(text_of(&block.reply, 2), "b") == 0);
    CHECK(block.reply.versions_count == 1 && strcmp(text_of(&block.reply, 4), "a") == 0);
    CHECK(strstr(text_of(&block.reply, block.reply.texts_count - 1), "\"supported\"") != NULL);
}

static void versions(void)
{
    const mcpd_str named[] = {{"2024-11-05", 10}, {NULL, 0}, {"2025-06-18", 10}, {"new", 3}};
    const char *const modern[] = {"newer", "new", NULL};
    const char *const none[] = {NULL};
    const char *version;
    CHECK(mcpd_versions_select(NULL, NULL, named, 4, &version, NULL) == MCPD_OK);
    CHECK(version == mcpd_versions_legacy()[1]);
    CHECK(mcpd_versions_select(modern, NULL, named, 4, &version, NULL) == MCPD_OK);
    CHECK(version == modern[1]);
    CHECK(mcpd_versions_select(NULL, none, named, 4, &version, NULL) == MCPD_OK);
    CHECK(version == NULL);
    CHECK(mcpd_versions_select(none, NULL, NULL, 0, &version, NULL) == MCPD_OK);
    CHECK(version == NULL);
    CHECK(mcpd_version_era(mcpd_versions_modern()[0]) == MCPD_ERA_MODERN);
    CHECK(mcpd_version_era("2025-11-25") == MCPD_ERA_LEGACY);
}

static void discover_result(const mcpd_discover_result *result)
{
    CHECK(result->struct_size == sizeof *result);
    CHECK(is(result->result_type, "complete"));
    CHECK(result->supported_versions_count == 2);
    CHECK(is(result->supported_versions[1], "2026-07-28"));
    CHECK(result->capabilities->tools && result->capabilities->tools_list_changed);
    CHECK(result->capabilities->logging && !result->capabilities->prompts);
    CHECK(result->capabilities->extensions_count == 1);
    CHECK(is(result->capabilities->extensions[0].name, "org.example/x"));
    CHECK(is(result->capabilities->extensions[0].json, "{\"a\": [1]}"));
    CHECK(result->capabilities->experimental == NULL);
    CHECK(result->instructions.len == 3 && memcmp(result->instructions.ptr, "a\0b", 4) == 0);
    CHECK(result->has_ttl_ms && result->ttl_ms == 60000);
    CHECK(result->has_cache_scope && result->cache_scope == MCPD_CACHE_SCOPE_PUBLIC);
    CHECK(result->server->icons_count == 1);
    CHECK(is(result->server->icons[0]->src, "https://example.org/i.png"));
    CHECK(is(result->server->icons[0]->sizes[0], "any"));
}

static void verdicts(void)
{
    const char *argv[] = {"/bin/sh", "-c", modern_server, NULL};
    const char *env[] = {"LC_ALL=C", "MCPD_UNSET", NULL};
    mcpd_cancel *cancel;
    CHECK(mcpd_cancel_new(&cancel, NULL) == MCPD_OK);
    mcpd_probe_options options = {0};
    options.struct_size = sizeof options;
    options.argv = argv;
    options.env = env;
    options.cwd = "/";
    options.cancel = cancel;
    options.grace_ms = 20000;
    options.client_name = "uses";
    options.client_version = "1";

    mcpd_verdict *verdict;
    mcpd_error *error;
    CHECK(mcpd_probe_stdio(&options, &verdict, &error) == MCPD_OK && error == NULL);
    mcpd_cancel_free(cancel);
    CHECK(verdict->struct_size == sizeof *verdict);
    CHECK(verdict->era == MCPD_ERA_MODERN && verdict->next == MCPD_NEXT_USE_MODERN);
    CHECK(is(verdict->version, "2026-07-28"));
    CHECK(verdict->confirmed && verdict->storable);
    CHECK(verdict->discover_outcome == MCPD_OUTCOME_RESULT);
    CHECK(verdict->initialize_outcome == MCPD_OUTCOME_NOT_ASKED);
    CHECK(verdict->summary.len > 0);
    CHECK(verdict->has_received_at_ms && verdict->received_at_ms > 0);
    CHECK(verdict->has_reply_ms && verdict->reply_ms <= verdict->elapsed_ms);
    CHECK(is(verdict->server->name, "demo"));
    CHECK(verdict->capabilities->tools);
    CHECK(verdict->instructions.len == 3);
    CHECK(verdict->supported_versions_count == 2);
    discover_result(verdict->discover);
    CHECK(verdict->initialize == NULL && verdict->discover_error == NULL);
    CHECK(verdict->remarks_count == 1 && verdict->remarks[0]->code == MCPD_REMARK_NOISE);
    CHECK(verdict->starts == 1 && verdict->processes_count == 1);
    CHECK(verdict->processes[0]->shutdown == MCPD_SHUTDOWN_STDIN_CLOSED);
    CHECK(verdict->processes[0]->exit_kind == MCPD_EXIT_CODE);
    CHECK(verdict->processes[0]->skipped_lines == 1);
    CHECK(is(verdict->processes[0]->skipped_sample[0], "starting"));
    CHECK(is(verdict->processes[0]->stderr_tail, "oops\n"));

    mcpd_text *json;
    CHECK(mcpd_verdict_to_json(verdict, &json, &error) == MCPD_OK && error == NULL);
    mcpd_verdict_free(verdict);
    CHECK(strncmp(json->text.ptr, "{\"schema\":1,\"era\":\"modern\"", 25) == 0);
    CHECK(strchr(json->text.ptr, '\n') == NULL);

    CHECK(mcpd_verdict_from_json(json->text.ptr, json->text.len, &verdict, &error) == MCPD_OK);
    CHECK(error == NULL && verdict->struct_size == sizeof *verdict);
    CHECK(verdict->era == MCPD_ERA_MODERN && verdict->next == MCPD_NEXT_USE_MODERN);
    CHECK(verdict->storable && is(verdict->version, "2026-07-28"));
    CHECK(is(verdict->server->name, "demo") && verdict->capabilities->tools);
    CHECK(is(verdict->discover->capabilities->extensions[0].json, "{\"a\":[1]}"));
    CHECK(verdict->instructions.len == 3 && verdict->discover->ttl_ms == 60000);
    CHECK(verdict->remarks_count == 1 && verdict->remarks[0]->code == MCPD_REMARK_NOISE);
    CHECK(is(verdict->processes[0]->stderr_tail, "oops\n"));
    int64_t arrival = verdict->received_at_ms;
    CHECK(mcpd_verdict_is_fresh(verdict, arrival));
    CHECK(mcpd_verdict_is_fresh(verdict, arrival + 59999));
    CHECK(!mcpd_verdict_is_fresh(verdict, arrival + 60000));
    CHECK(!mcpd_verdict_is_fresh(verdict, arrival - 1));
    mcpd_verdict_free(verdict);
    mcpd_text_free(json);
}

/* What a later version has stored: what is not known is not misread, and is not lost. */
static void later_verdicts(void)
{
    static const char later[] =
        "{\"schema\":1,\"era\":\"postmodern\",\"next\":\"knock\",\"confirmed\":true,\"storable\":true,"
        "\"discoverOutcome\":\"error\",\"initializeOutcome\":\"shrug\","
        "\"remarks\":[{\"code\":\"too_polite\",\"text\":\"Please?\"}],"
        "\"processes\":[{\"shutdown\":\"dissolved\"}],\"weather\":true}";
    mcpd_verdict *verdict;
    mcpd_text *json;
    CHECK(mcpd_verdict_from_json(later, sizeof later - 1, &verdict, NULL) == MCPD_OK);
    CHECK(verdict->era == MCPD_UNRECOGNIZED && verdict->next == MCPD_UNRECOGNIZED);
    CHECK(verdict->confirmed && !verdict->storable);
    CHECK(verdict->initialize_outcome == MCPD_UNRECOGNIZED);
    CHECK(verdict->remarks[0]->code == MCPD_UNRECOGNIZED);
    CHECK(is(verdict->remarks[0]->text, "Please?"));
    CHECK(verdict->processes[0]->shutdown == MCPD_UNRECOGNIZED);
    CHECK(!mcpd_verdict_is_fresh(verdict, 0));
    CHECK(mcpd_verdict_to_json(verdict, &json, NULL) == MCPD_OK);
    CHECK(is(json->text, later));
    mcpd_text_free(json);
    mcpd_verdict_free(verdict);
}

static void printable(const char *data, size_t length, const char *expected)
{
    mcpd_text *text;
    CHECK(mcpd_text_printable(data, length, &text, NULL) == MCPD_OK);
    CHECK(is(text->text, expected));
    mcpd_text_free(text);
}

static void texts(void)
{
    printable("plain", 5, "plain");
    printable("", 0, "");
    printable(NULL, 0, "");
    printable("\x1b[2Ja\0b\n", 8, "\\x1b[2Ja\\x00b\\n");
    printable("\xff", 1, "\xef\xbf\xbd");
}

/* What each side said, cut off at the limit. */
static void transcripts(void)
{
    const char *argv[] = {"sh", "-c", "read -r line; echo no; exec cat", NULL};
    mcpd_probe_options options = {0};
    mcpd_verdict *verdict;
    options.struct_size = sizeof options;
    options.argv = argv;
    options.fallback = MCPD_FALLBACK_NONE;
    options.timeout_ms = 300;
    CHECK(mcpd_probe_stdio(&options, &verdict, NULL) == MCPD_OK);
    CHECK(verdict->transcript == NULL && verdict->transcript_count == 0);
    CHECK(!verdict->transcript_truncated);
    mcpd_verdict_free(verdict);

    options.max_transcript_bytes = 10000;
    CHECK(mcpd_probe_stdio(&options, &verdict, NULL) == MCPD_OK);
    CHECK(verdict->transcript_count == 2 && !verdict->transcript_truncated);
    const mcpd_transcript_entry *request = verdict->transcript[0];
    const mcpd_transcript_entry *noise = verdict->transcript[1];
    CHECK(request->struct_size == sizeof *request);
    CHECK(request->direction == MCPD_DIRECTION_TO_SERVER && request->process == 0);
    CHECK(request->length > 100 && request->data[request->length - 1] == '\n');
    CHECK(noise->direction == MCPD_DIRECTION_FROM_SERVER);
    CHECK(noise->length == 3 && memcmp(noise->data, "no\n", 3) == 0);
    CHECK(noise->at_ms >= request->at_ms && noise->at_ms <= verdict->elapsed_ms);
    mcpd_verdict_free(verdict);

    options.max_transcript_bytes = 10;
    CHECK(mcpd_probe_stdio(&options, &verdict, NULL) == MCPD_OK);
    CHECK(verdict->transcript_count == 1 && verdict->transcript[0]->length == 10);
    CHECK(verdict->transcript_truncated);
    mcpd_verdict_free(verdict);
}

/* Two servers that answer and one that cannot be started, side by side, then one more. */
static void scans(void)
{
    const char *argv[] = {"sh", "-c", modern_server, NULL}, *missing[] = {"no-such-command-anywhere", NULL};
    mcpd_probe_options options = {0};
    mcpd_scan *scan;
    mcpd_scan_item *item;
    mcpd_error *error = (mcpd_error *)&options;
    int modern = 0;
    options.struct_size = sizeof options;
    CHECK(mcpd_scan_new(NULL, &scan, &error) == MCPD_OK && error == NULL);
    for (uint64_t tag = 0; tag < 3; tag++) {
        options.argv = tag == 1 ? missing : argv;
        error = (mcpd_error *)&options;
        CHECK(mcpd_scan_add(scan, &options, tag, &error) == MCPD_OK && error == NULL);
    }
    for (int i = 0; i < 3; i++) {
        CHECK(mcpd_scan_next(scan, 60000, &item, &error) == MCPD_OK && error == NULL);
        CHECK(item != NULL && item->struct_size == sizeof *item && item->tag < 3);
        CHECK(item->status == (item->tag == 1 ? MCPD_COMMAND_NOT_FOUND : MCPD_OK));
        if (item->tag == 1)
            CHECK(item->verdict == NULL && is(item->error->argument, "argv"));
        else
            CHECK(item->error == NULL && is(item->verdict->server->name, "demo"));
        modern += item->verdict != NULL && item->verdict->era == MCPD_ERA_MODERN;
        mcpd_scan_item_free(item);
    }
    CHECK(modern == 2);
    CHECK(mcpd_scan_next(scan, MCPD_NO_WAIT, &item, &error) == MCPD_OK && item == NULL);
    options.argv = argv;
    CHECK(mcpd_scan_add(scan, &options, UINT64_MAX, NULL) == MCPD_OK);
    CHECK(mcpd_scan_next(scan, 0, &item, NULL) == MCPD_OK && item->tag == UINT64_MAX);
    mcpd_scan_item_free(item);
    /* Freed with a server that runs, and one that waits for nothing. */
    const char *silent[] = {"sleep", "100", NULL};
    options.argv = silent;
    CHECK(mcpd_scan_add(scan, &options, 0, NULL) == MCPD_OK);
    CHECK(mcpd_scan_next(scan, 1, &item, &error) == MCPD_TIMED_OUT && item == NULL);
    CHECK(error->status == MCPD_TIMED_OUT);
    mcpd_error_free(error);
    CHECK(mcpd_scan_add(scan, &options, 0, NULL) == MCPD_OK);
    mcpd_scan_free(scan);
}

/* An exchange over HTTP: the request, what is enough, and a second request where the server names another version. */
static void exchanges(void)
{
    static const char refusal[] =
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32022,\"message\":\"no\","
        "\"data\":{\"supported\":[\"2026-07-28\"],\"requested\":\"2026-10-01\"}}}";
    static const char answer[] =
        "data: {\"jsonrpc\":\"2.0\",\"id\":\"discover-2\",\n"
        "data: \"result\":{\"supportedVersions\":[\"2026-07-28\"]}}\n\n";
    const char *const versions[] = {"2026-10-01", "2026-07-28", NULL};
    mcpd_http_options options = {0};
    mcpd_http *http;
    mcpd_verdict *verdict;
    const mcpd_http_post *first, *second;
    int32_t enough = 1;
    options.struct_size = sizeof options;
    options.modern_versions = versions;
    options.client_name = "line\r\nbreak";
    options.client_version = "1";
    CHECK(mcpd_http_new(&options, &http, NULL) == MCPD_OK);
    CHECK(mcpd_http_request(http, &first, NULL) == MCPD_OK);
    CHECK(first->struct_size == sizeof *first && first->headers_count == 4);
    CHECK(is(first->headers[2].name, "MCP-Protocol-Version"));
    CHECK(is(first->headers[2].value, "2026-10-01"));
    CHECK(strstr(first->body.ptr, "\"name\":\"line\\r\\nbreak\"") != NULL);
    CHECK(strlen(first->body.ptr) == first->body.len && strchr(first->body.ptr, '\n') == NULL);
    CHECK(mcpd_http_status(http, 400, "application/json", NULL) == MCPD_OK);
    CHECK(mcpd_http_feed(http, NULL, 0, &enough, NULL) == MCPD_OK && !enough);
    CHECK(mcpd_http_feed(http, refusal, strlen(refusal), &enough, NULL) == MCPD_OK && !enough);
    CHECK(mcpd_http_verdict(http, &verdict, NULL) == MCPD_OK && verdict == NULL);

    CHECK(mcpd_http_request(http, &second, NULL) == MCPD_OK && second != first);
    CHECK(is(second->headers[2].value, "2026-07-28"));
    CHECK(is(first->headers[2].value, "2026-10-01"));
    CHECK(mcpd_http_status(http, 200, "text/event-stream", NULL) == MCPD_OK);
    CHECK(mcpd_http_feed(http, answer, strlen(answer) - 1, &enough, NULL) == MCPD_OK && !enough);
    CHECK(mcpd_http_feed(http, "\n", 1, &enough, NULL) == MCPD_OK && enough);
    CHECK(mcpd_http_verdict(http, &verdict, NULL) == MCPD_OK);
    mcpd_http_free(http);
    CHECK(verdict->era == MCPD_ERA_MODERN && verdict->next == MCPD_NEXT_USE_MODERN);
    CHECK(is(verdict->version, "2026-07-28") && verdict->has_received_at_ms);
    CHECK(verdict->discover_error->code == MCPD_RPC_UNSUPPORTED_PROTOCOL_VERSION);
    CHECK(verdict->processes_count == 0 && verdict->starts == 0);
    mcpd_verdict_free(verdict);

    CHECK(mcpd_http_new(NULL, &http, NULL) == MCPD_OK);
    mcpd_http_free(http);
}

int main(void)
{
    exchanges();
    texts();
    transcripts();
    requests();
    errors();
    replies();
    flat_replies();
    versions();
    verdicts();
    scans();
    later_verdicts();
    return failures != 0;
}
