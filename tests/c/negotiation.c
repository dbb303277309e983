/* A negotiation by hand: scripted servers, and a clock that stands still between the calls. */
#include "check.h"

#define MESSAGE(id, rest) "{\"jsonrpc\":\"2.0\",\"id\":\"" id "\"," rest "}"
#define VERSIONS(list) "\"result\":{\"supportedVersions\":[" list "],\"ttlMs\":1000,\"cacheScope\":\"public\"}"
#define MODERN MESSAGE("discover-1", VERSIONS("\"2026-07-28\"")) "\n"
#define LEGACY MESSAGE("initialize-1", "\"result\":{\"protocolVersion\":\"2025-11-25\"}") "\n"
#define REFUSAL MESSAGE("discover-1", "\"error\":{\"code\":-32601,\"message\":\"no\"}") "\n"

static mcpd_negotiation *negotiation;
static int64_t now;

static void begin(const mcpd_probe_options *options)
{
    mcpd_error *error;
    CHECK(mcpd_negotiation_new(options, &negotiation, &error) == MCPD_OK && error == NULL);
    CHECK(negotiation->struct_size == sizeof *negotiation && negotiation->reserved == 0);
    CHECK(negotiation->step == MCPD_STEP_START);
    now = 5000;
}

/* The next step, of which the fields have to be right. */
static mcpd_step next(void)
{
    mcpd_error *error;
    CHECK(mcpd_negotiation_next(negotiation, now, &error) == MCPD_OK && error == NULL);
    if (negotiation->step == MCPD_STEP_SEND) {
        CHECK(negotiation->line.ptr[negotiation->line.len - 1] == '\n');
        CHECK(strlen(negotiation->line.ptr) == negotiation->line.len);
    } else {
        CHECK(negotiation->line.ptr == NULL && negotiation->line.len == 0);
    }
    CHECK((negotiation->deadline_ms > now) == (negotiation->step == MCPD_STEP_WAIT));
    return negotiation->step;
}

static void start(void)
{
    CHECK(next() == MCPD_STEP_START);
    CHECK(mcpd_negotiation_started(negotiation, now, NULL) == MCPD_OK);
}

/* Sends what is to be sent; it has to hold this. */
static void sends(const char *part)
{
    CHECK(next() == MCPD_STEP_SEND);
    CHECK(strstr(negotiation->line.ptr, part) != NULL);
}

static void hears(const char *data)
{
    CHECK(mcpd_negotiation_received(negotiation, data, strlen(data), now, NULL) == MCPD_OK);
}

static void ends(mcpd_outcome how)
{
    CHECK(mcpd_negotiation_closed(negotiation, how, now, NULL) == MCPD_OK);
}

static void waits_until(int64_t deadline)
{
    CHECK(next() == MCPD_STEP_WAIT);
    CHECK(negotiation->deadline_ms == deadline);
}

/* Closes and takes the verdict, at this time since 1970. */
static mcpd_verdict *finish(int64_t since_1970)
{
    mcpd_verdict *verdict;
    mcpd_error *error;
    if (next() == MCPD_STEP_CLOSE)
        ends(MCPD_OUTCOME_STDOUT_CLOSED);
    CHECK(next() == MCPD_STEP_FINISH);
    CHECK(mcpd_negotiation_verdict(negotiation, since_1970, &verdict, &error) == MCPD_OK);
    CHECK(error == NULL);
    mcpd_negotiation_free(negotiation);
    return verdict;
}

static int has(const mcpd_verdict *verdict, mcpd_remark_code code)
{
    for (size_t i = 0; i < verdict->remarks_count; i++)
        if (verdict->remarks[i]->code == code)
            return 1;
    return 0;
}

/* However the bytes are cut, and with noise before them. */
static void an_answer_in_pieces(void)
{
    static const char said[] = "starting\r\n" MODERN;
    for (size_t cut = 0; cut <= sizeof said - 1; cut++) {
        begin(NULL);
        start();
        sends("\"server/discover\"");
        waits_until(now + 5000);
        now += 40;
        CHECK(mcpd_negotiation_received(negotiation, said, cut, now, NULL) == MCPD_OK);
        if (cut < sizeof said - 1)
            CHECK(next() == MCPD_STEP_WAIT);
        now += 2;
        hears(said + cut);
        now += 8;
        mcpd_verdict *verdict = finish(1000000);
        CHECK(verdict->era == MCPD_ERA_MODERN && verdict->next == MCPD_NEXT_USE_MODERN);
        CHECK(is(verdict->version, "2026-07-28") && verdict->storable);
        CHECK(verdict->received_at_ms == 1000000 - (cut < sizeof said - 1 ? 8 : 10));
        CHECK(verdict->reply_ms == (cut < sizeof said - 1 ? 42 : 40) && verdict->elapsed_ms == 50);
        CHECK(mcpd_verdict_is_fresh(verdict, 1000000));
        CHECK(has(verdict, MCPD_REMARK_NOISE));
        CHECK(verdict->starts == 1);
        CHECK(verdict->processes[0]->bytes_received == sizeof said - 1);
        CHECK(verdict->processes[0]->exit_kind == MCPD_EXIT_UNKNOWN);
        CHECK(verdict->processes[0]->shutdown == MCPD_SHUTDOWN_NONE);
        mcpd_verdict_free(verdict);
    }
}

/* Silence makes it ask initialize, and more silence gives up. */
static void deadlines(void)
{
    mcpd_probe_options options = {0};
    options.struct_size = sizeof options;
    options.timeout_ms = 1000;
    options.discover_timeout_ms = 300;
    begin(&options);
    start();
    sends("discover-1");
    waits_until(now + 300);
    now += 299;
    waits_until(now + 1);
    now += 1;
    sends("initialize-1");
    waits_until(now + 700);
    now -= 5000; /* A clock that goes back stands still. */
    waits_until(now + 5000 + 700);
    now += 5000 + 700;
    mcpd_verdict *verdict = finish(0);
    CHECK(verdict->era == MCPD_ERA_UNKNOWN && verdict->next == MCPD_NEXT_GIVE_UP);
    CHECK(verdict->discover_outcome == MCPD_OUTCOME_SILENCE);
    CHECK(verdict->initialize_outcome == MCPD_OUTCOME_SILENCE);
    CHECK(!verdict->has_received_at_ms && !verdict->has_reply_ms && verdict->elapsed_ms == 1000);
    mcpd_verdict_free(verdict);
}

/* A server that ends on discover is started again, and the time it took to close does not count. */
static void two_starts(void)
{
    mcpd_probe_options options = {0};
    options.struct_size = sizeof options;
    options.timeout_ms = 1000;
    options.max_transcript_bytes = 10000;
    begin(&options);
    start();
    sends("discover-1");
    now += 100;
    ends(MCPD_OUTCOME_EXIT);
    start();
    sends("initialize-1");
    waits_until(now + 900);
    now += 50;
    hears(LEGACY);
    mcpd_verdict *verdict = finish(0);
    CHECK(verdict->era == MCPD_ERA_LEGACY && verdict->next == MCPD_NEXT_INITIALIZE);
    CHECK(is(verdict->version, "2025-11-25") && verdict->confirmed && !verdict->storable);
    CHECK(verdict->discover_outcome == MCPD_OUTCOME_EXIT && verdict->starts == 2);
    CHECK(has(verdict, MCPD_REMARK_EXITED_EARLY) && !verdict->has_received_at_ms);
    CHECK(verdict->transcript_count == 3);
    CHECK(verdict->transcript[0]->at_ms == 0 && verdict->transcript[0]->process == 0);
    CHECK(verdict->transcript[1]->at_ms == 100 && verdict->transcript[1]->process == 1);
    CHECK(verdict->transcript[2]->direction == MCPD_DIRECTION_FROM_SERVER);
    CHECK(verdict->transcript[2]->at_ms == 150);
    mcpd_verdict_free(verdict);

    /* It refuses both on one connection, so it gets another, after the end of the first. */
    begin(&options);
    start();
    sends("discover-1");
    hears(REFUSAL);
    sends("initialize-1");
    hears(MESSAGE("initialize-1", "\"error\":{\"code\":-32600,\"message\":\"no\"}") "\n");
    CHECK(next() == MCPD_STEP_CLOSE);
    now += 5000;
    CHECK(next() == MCPD_STEP_CLOSE);
    ends(MCPD_OUTCOME_STDOUT_CLOSED);
    start();
    sends("initialize-2");
    waits_until(now + 1000);
    hears(MESSAGE("initialize-2", "\"result\":{\"protocolVersion\":\"2025-11-25\"}") "\n");
    verdict = finish(0);
    CHECK(verdict->era == MCPD_ERA_LEGACY && verdict->starts == 2 && verdict->storable);
    CHECK(!has(verdict, MCPD_REMARK_EXITED_EARLY));
    mcpd_verdict_free(verdict);
}

/* What comes while the connection is being closed still counts. */
static void a_late_answer(void)
{
    begin(NULL);
    start();
    sends("discover-1");
    now += 5000;
    sends("initialize-1");
    hears(LEGACY);
    CHECK(next() == MCPD_STEP_CLOSE);
    CHECK(mcpd_negotiation_received(negotiation, MODERN, sizeof MODERN - 2, now, NULL) == MCPD_OK);
    mcpd_verdict *verdict = finish(0);
    CHECK(verdict->era == MCPD_ERA_MODERN && verdict->next == MCPD_NEXT_USE_MODERN);
    CHECK(has(verdict, MCPD_REMARK_LATE_REPLY) && has(verdict, MCPD_REMARK_UNTERMINATED_REPLY));
    mcpd_verdict_free(verdict);
}

/* An error without id is the answer if nothing better comes within 100 ms. */
static void an_error_without_id(void)
{
    static const char nameless[] =
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32601,\"message\":\"no\"}}\n";
    begin(NULL);
    start();
    sends("discover-1");
    hears(nameless);
    waits_until(now + 100);
    now += 99;
    hears(MODERN);
    mcpd_verdict *verdict = finish(0);
    CHECK(verdict->era == MCPD_ERA_MODERN && has(verdict, MCPD_REMARK_NULL_ID));
    mcpd_verdict_free(verdict);

    begin(NULL);
    start();
    sends("discover-1");
    hears(nameless);
    CHECK(next() == MCPD_STEP_WAIT);
    now += 100;
    sends("initialize-1");
    hears(LEGACY);
    verdict = finish(0);
    CHECK(verdict->era == MCPD_ERA_LEGACY && verdict->discover_outcome == MCPD_OUTCOME_ERROR);
    mcpd_verdict_free(verdict);
}

/* Over a transport that keeps messages apart a message may be several lines, or have no end. */
static void whole_messages(void)
{
    static const char spaced[] = "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": \"discover-1\",\n  \"result\": {\n"
                                 "    \"supportedVersions\": [\"2026-07-28\"]\n  }\n}";
    mcpd_probe_options options = {0};
    options.struct_size = sizeof options;
    options.max_line_bytes = sizeof spaced - 1;
    begin(&options);
    start();
    sends("discover-1");
    char longer[sizeof spaced];
    memset(longer, ' ', sizeof longer);
    CHECK(mcpd_negotiation_received_message(negotiation, longer, sizeof longer, now, NULL) == MCPD_OK);
    CHECK(next() == MCPD_STEP_WAIT);
    CHECK(mcpd_negotiation_received_message(negotiation, spaced, sizeof spaced - 1, now, NULL) ==
          MCPD_OK);
    mcpd_verdict *verdict = finish(0);
    CHECK(verdict->era == MCPD_ERA_MODERN && verdict->processes[0]->skipped_lines == 1);
    CHECK(has(verdict, MCPD_REMARK_LINE_TOO_LONG) && !has(verdict, MCPD_REMARK_SPLIT_JSON));
    CHECK(verdict->processes[0]->bytes_received == sizeof longer + sizeof spaced - 1);
    mcpd_verdict_free(verdict);
}

/* A caller who gives up takes what is known. */
static void an_early_verdict(void)
{
    mcpd_verdict *verdict;
    begin(NULL);
    CHECK(mcpd_negotiation_verdict(negotiation, 0, &verdict, NULL) == MCPD_OK);
    CHECK(verdict->era == MCPD_ERA_UNKNOWN && verdict->processes_count == 0);
    CHECK(verdict->discover_outcome == MCPD_OUTCOME_NOT_ASKED && verdict->elapsed_ms == 0);
    mcpd_verdict_free(verdict);
    mcpd_negotiation_free(negotiation);
    begin(NULL);
    start();
    sends("discover-1");
    CHECK(mcpd_negotiation_verdict(negotiation, 0, &verdict, NULL) == MCPD_OK);
    CHECK(verdict->discover_outcome == MCPD_OUTCOME_SILENCE && !verdict->confirmed);
    mcpd_verdict_free(verdict);
    mcpd_negotiation_free(negotiation);
}

#define REFUSED(call, problem) \
    do { \
        mcpd_error *error = NULL; \
        CHECK((call) == MCPD_INVALID_ARGUMENT && error != NULL); \
        CHECK(is(error->argument, "negotiation") && strstr(error->message.ptr, problem) != NULL); \
        mcpd_error_free(error); \
    } while (0)

/* What comes at the wrong time is refused, and changes nothing. */
static void calls_out_of_order(void)
{
    const mcpd_outcome closed = MCPD_OUTCOME_STDOUT_CLOSED;
    mcpd_verdict *verdict;
    begin(NULL);
    REFUSED(mcpd_negotiation_received(negotiation, "", 0, now, &error), "has no server");
    REFUSED(mcpd_negotiation_received_message(negotiation, "", 0, now, &error), "has no server");
    REFUSED(mcpd_negotiation_closed(negotiation, closed, now, &error), "has no server");
    CHECK(mcpd_negotiation_started(negotiation, now, NULL) == MCPD_OK);
    REFUSED(mcpd_negotiation_started(negotiation, now, &error), "wants no server started");
    sends("discover-1");
    hears(MODERN);
    REFUSED(mcpd_negotiation_started(negotiation, now, &error), "wants no server started");
    CHECK(next() == MCPD_STEP_CLOSE);
    ends(closed);
    REFUSED(mcpd_negotiation_closed(negotiation, closed, now, &error), "has no server");
    REFUSED(mcpd_negotiation_started(negotiation, now, &error), "wants no server started");
    CHECK(next() == MCPD_STEP_FINISH);
    CHECK(next() == MCPD_STEP_FINISH);
    CHECK(mcpd_negotiation_verdict(negotiation, 0, &verdict, NULL) == MCPD_OK);
    CHECK(verdict->era == MCPD_ERA_MODERN);
    mcpd_verdict_free(verdict);
    REFUSED(mcpd_negotiation_verdict(negotiation, 0, &verdict, &error), "has given its verdict");
    CHECK(verdict == NULL);
    REFUSED(mcpd_negotiation_next(negotiation, now, &error), "has given its verdict");
    REFUSED(mcpd_negotiation_started(negotiation, now, &error), "has given its verdict");
    REFUSED(mcpd_negotiation_received(negotiation, "", 0, now, &error), "has given its verdict");
    REFUSED(mcpd_negotiation_closed(negotiation, closed, now, &error), "has given its verdict");
    mcpd_negotiation_free(negotiation);
    mcpd_negotiation_free(NULL);
}

/* Any clock will do, whatever it counts from. */
static void clocks_at_their_ends(void)
{
    const int64_t ends_of_time[] = {INT64_MIN, INT64_MAX - 10, INT64_MAX, 0};
    for (size_t i = 0; i < sizeof ends_of_time / sizeof *ends_of_time; i++) {
        begin(NULL);
        CHECK(mcpd_negotiation_started(negotiation, ends_of_time[i], NULL) == MCPD_OK);
        CHECK(mcpd_negotiation_next(negotiation, ends_of_time[i], NULL) == MCPD_OK);
        CHECK(mcpd_negotiation_next(negotiation, ends_of_time[i], NULL) == MCPD_OK);
        CHECK(negotiation->step == MCPD_STEP_WAIT && negotiation->deadline_ms >= ends_of_time[i]);
        CHECK(mcpd_negotiation_next(negotiation, INT64_MIN, NULL) == MCPD_OK);
        CHECK(negotiation->step == MCPD_STEP_WAIT);
        CHECK(mcpd_negotiation_next(negotiation, INT64_MAX, NULL) == MCPD_OK);
        mcpd_negotiation_free(negotiation);
    }
}

int main(void)
{
    an_answer_in_pieces();
    deadlines();
    two_starts();
    a_late_answer();
    an_error_without_id();
    whole_messages();
    an_early_verdict();
    calls_out_of_order();
    clocks_at_their_ends();
    return failures != 0;
}
