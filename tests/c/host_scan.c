/* Scans: every probe comes out once, dawdling costs nothing, and nothing is left: host_scan SERVER WHAT [COUNT]. */
#include "host.h"

#include <fcntl.h>

static const char *server;

static mcpd_scan *new_scan(int32_t max_running)
{
    mcpd_scan_options options = {0};
    mcpd_scan *scan;
    options.struct_size = sizeof options;
    options.max_running = max_running;
    CHECK(mcpd_scan_new(&options, &scan, NULL) == MCPD_OK);
    return scan;
}

static void add(mcpd_scan *scan, const mcpd_probe_options *options, uint64_t tag)
{
    mcpd_error *error = (mcpd_error *)options;
    CHECK(mcpd_scan_add(scan, options, tag, &error) == MCPD_OK && error == NULL);
}

static void add_mode(mcpd_scan *scan, const char *mode, const char *value, uint64_t tag)
{
    const char *argv[] = {server, mode, value, NULL};
    mcpd_probe_options options = patient(argv);
    add(scan, &options, tag);
}

/* The next item; checks that the outputs fit the status. */
static mcpd_scan_item *next(mcpd_scan *scan, int64_t timeout_ms, mcpd_status expected)
{
    mcpd_scan_item *item = (mcpd_scan_item *)scan;
    mcpd_error *error = (mcpd_error *)scan;
    mcpd_status status = mcpd_scan_next(scan, timeout_ms, &item, &error);
    CHECK(status == expected);
    CHECK((error != NULL) == (status != MCPD_OK));
    CHECK(item == NULL || status == MCPD_OK);
    mcpd_error_free(error);
    if (item != NULL) {
        CHECK((item->verdict != NULL) == (item->status == MCPD_OK));
        CHECK((item->error != NULL) == (item->status != MCPD_OK));
        CHECK(item->error == NULL || item->error->status == item->status);
    }
    return item;
}

/* Takes all that is left; each is to have this status, and tags from 0 on are to come once. */
static void take_all(mcpd_scan *scan, uint64_t count, mcpd_status status)
{
    char *seen = calloc(count, 1);
    mcpd_scan_item *item;
    uint64_t taken = 0;
    for (; (item = next(scan, 0, MCPD_OK)) != NULL; taken++) {
        CHECK(item->status == status);
        CHECK(item->tag < count && !seen[item->tag]);
        if (item->tag < count)
            seen[item->tag] = 1;
        mcpd_scan_item_free(item);
    }
    CHECK(taken == count);
    free(seen);
}

static void check_nothing_left(int fds)
{
    CHECK(descriptors() == fds);
    CHECK(threads() == 1 || SANITIZED);
    CHECK(!has_child());
}

static long most(long a, long b)
{
    return a > b ? a : b;
}

/* So many servers, 64 at once: what the scan takes depends on the 64 alone. */
static void check_many(uint64_t count)
{
    enum { AT_ONCE = 64 };
    int fds = descriptors();
    long most_fds = 0, most_children = 0, most_kb = 0, kb_at_first = 0;
    char *seen = calloc(count, 1);
    double begin = now_ms();
    mcpd_scan *scan = new_scan(AT_ONCE);
    for (uint64_t tag = 0; tag < count; tag++) {
        char name[32];
        snprintf(name, sizeof name, "server %d", (int)tag);
        if (tag % 2 == 0)
            add_mode(scan, "good", name, tag);
        else
            add_mode(scan, "slow", "100", tag);
    }
    for (uint64_t taken = 0; taken < count; taken++) {
        char name[32];
        mcpd_scan_item *item = next(scan, 0, MCPD_OK);
        CHECK(item != NULL);
        if (item == NULL)
            break;
        snprintf(name, sizeof name, "server %d", (int)item->tag);
        CHECK(item->tag < count && !seen[item->tag]++);
        CHECK(is_modern(item->verdict, item->tag % 2 == 0 ? name : "slow"));
        mcpd_scan_item_free(item);
        if (taken == 2 * AT_ONCE)
            kb_at_first = status_kb("VmRSS:");
        if (taken % 16 == 0) {
            most_fds = most(most_fds, descriptors() - fds);
            most_children = most(most_children, living_children());
            most_kb = most(most_kb, status_kb("VmRSS:"));
        }
    }
    CHECK(next(scan, 0, MCPD_OK) == NULL);
    double took = now_ms() - begin;
    mcpd_scan_free(scan);
    check_nothing_left(fds);
    printf("%d servers in %.2f s, %d at once: at most %ld processes and %ld descriptors; resident memory after %d of them "
           "%ld kB, then at most %+ld kB\n",
           (int)count, took / 1000, AT_ONCE, most_children, most_fds, 2 * AT_ONCE, kb_at_first, most_kb - kb_at_first);
    CHECK(most_children > AT_ONCE / 4 && most_children <= AT_ONCE);
    CHECK(most_fds <= 4 * AT_ONCE + 16);
    CHECK(most_kb - kb_at_first < 2048 || count <= 2 * AT_ONCE || SANITIZED);
    free(seen);
}

/* A caller that is away for longer than every deadline, while its servers write, fall silent, or leave. */
static void check_dawdling(void)
{
    static const char *const modes[] = {"answering", "good", "silent", "dying", "slow"};
    enum { KINDS = sizeof modes / sizeof *modes, COUNT = 8 * KINDS, DEADLINE_MS = 150, AWAY_MS = 2 * DEADLINE_MS };
    int fds = descriptors();
    mcpd_scan *scan = new_scan(COUNT);
    mcpd_scan_item *item;
    for (int i = 0; i < COUNT; i++) {
        const char *argv[] = {server, modes[i % KINDS], "100", NULL};
        mcpd_probe_options options = impatient(argv);
        options.timeout_ms = 2 * DEADLINE_MS;
        options.discover_timeout_ms = DEADLINE_MS;
        options.grace_ms = DEADLINE_MS;
        add(scan, &options, (uint64_t)i);
    }
    double begin = now_ms(), away = 0;
    int modern = 0, taken = 0;
    while (taken < COUNT) {
        double left = now_ms();
        if (taken % KINDS == 1)
            sleep_ms(AWAY_MS);
        away += now_ms() - left;
        item = next(scan, 0, MCPD_OK);
        CHECK(item != NULL && item->verdict != NULL);
        if (item == NULL || item->verdict == NULL)
            break;
        const char *mode = modes[item->tag % KINDS];
        const mcpd_verdict *verdict = item->verdict;
        taken++;
        modern += verdict->era == MCPD_ERA_MODERN;
        CHECK((verdict->era == MCPD_ERA_MODERN) == (strcmp(mode, "silent") != 0 && strcmp(mode, "dying") != 0));
        CHECK(verdict->elapsed_ms <= now_ms() - begin - away);
        if (strcmp(mode, "silent") == 0)
            CHECK(verdict->discover_outcome == MCPD_OUTCOME_SILENCE && verdict->elapsed_ms >= 2 * DEADLINE_MS);
        if (strcmp(mode, "dying") == 0)
            CHECK(verdict->discover_outcome == MCPD_OUTCOME_EXIT && verdict->starts == 2);
        if (strcmp(mode, "good") == 0)
            CHECK(verdict->processes[0]->shutdown == MCPD_SHUTDOWN_STDIN_CLOSED);
        mcpd_scan_item_free(item);
    }
    CHECK(taken == COUNT && modern == 3 * COUNT / KINDS);
    CHECK(next(scan, 0, MCPD_OK) == NULL);
    printf("%d servers, %.1f s away of %.1f s: %d modern\n", taken, away / 1000, (now_ms() - begin) / 1000, modern);
    mcpd_scan_free(scan);
    check_nothing_left(fds);
}

/* One server of each kind that fails is an item, and the end of nothing. */
static void check_failures(void)
{
    int fds = descriptors();
    const char *missing[] = {"/no/such/command", NULL}, *folder[] = {"/", NULL}, *good[] = {server, "good", "n", NULL};
    mcpd_probe_options options[4];
    const mcpd_status expected[] = {MCPD_COMMAND_NOT_FOUND, MCPD_PERMISSION_DENIED, MCPD_START_FAILED, MCPD_OK};
    mcpd_scan *scan = new_scan(1);
    CHECK(next(scan, 0, MCPD_OK) == NULL);
    options[0] = patient(missing);
    options[1] = patient(folder);
    options[2] = patient(good);
    options[2].cwd = "/no/such/folder";
    options[3] = patient(good);
    for (uint64_t i = 0; i < 4; i++)
        add(scan, &options[i], i);
    for (int i = 0; i < 4; i++) {
        mcpd_scan_item *item = next(scan, 0, MCPD_OK);
        CHECK(item != NULL && item->tag == (uint64_t)i && item->status == expected[i]);
        mcpd_scan_item_free(item);
    }
    CHECK(next(scan, MCPD_NO_WAIT, MCPD_OK) == NULL);
    /* What has come to its end can be added to. */
    add_mode(scan, "good", "again", UINT64_MAX);
    mcpd_scan_item *item = next(scan, 60000, MCPD_OK);
    CHECK(item != NULL && item->tag == UINT64_MAX && is_modern(item->verdict, "again"));
    mcpd_scan_free(scan);
    /* An item does not need its scan. */
    mcpd_text *json;
    CHECK(mcpd_verdict_to_json(item->verdict, &json, NULL) == MCPD_OK);
    mcpd_text_free(json);
    mcpd_scan_item_free(item);
    check_nothing_left(fds);
}

static mcpd_scan *cancelled;
static volatile double fired_at;

static void fire(int unused)
{
    (void)unused;
    fired_at = now_ms();
    mcpd_scan_cancel(cancelled);
}

static void *fire_soon(void *unused)
{
    sleep_ms(50);
    fire(0);
    return unused;
}

static void *use_meanwhile(void *unused)
{
    mcpd_scan_item *item;
    sleep_ms(50);
    CHECK(mcpd_scan_next(cancelled, 0, &item, NULL) == MCPD_INVALID_ARGUMENT && item == NULL);
    fire(0);
    return unused;
}

static void check_time(const char *what)
{
    double took = now_ms() - fired_at;
    printf("%-44s %5.1f ms\n", what, took);
    CHECK(took < 1000);
}

enum { STUBBORN = 32, QUEUED = 32 };

static mcpd_scan *new_stubborn(void)
{
    mcpd_scan *scan = new_scan(STUBBORN);
    for (uint64_t i = 0; i < STUBBORN + QUEUED; i++)
        add_mode(scan, i % 2 == 0 ? "stubborn" : "silent", "", i);
    return scan;
}

static void check_cancelled(const char *what, void *(*fire_in_thread)(void *))
{
    int fds = descriptors();
    cancelled = new_stubborn();
    pthread_t thread;
    if (fire_in_thread != NULL) {
        pthread_create(&thread, NULL, fire_in_thread, NULL);
    } else {
        struct sigaction action = {0};
        action.sa_handler = fire;
        sigaction(SIGALRM, &action, NULL);
        ualarm(50000, 0);
    }
    mcpd_scan_item *item = next(cancelled, 0, MCPD_OK);
    check_time(what);
    CHECK(item != NULL && item->status == MCPD_CANCELLED);
    CHECK(!has_child());
    mcpd_scan_item_free(item);
    int left = 0;
    while ((item = next(cancelled, 0, MCPD_OK)) != NULL) {
        CHECK(item->status == MCPD_CANCELLED);
        mcpd_scan_item_free(item);
        left++;
    }
    CHECK(left == STUBBORN + QUEUED - 1);
    if (fire_in_thread != NULL)
        pthread_join(thread, NULL);
    const char *argv[] = {server, NULL};
    mcpd_probe_options options = patient(argv);
    CHECK(mcpd_scan_add(cancelled, &options, 0, NULL) == MCPD_CANCELLED);
    CHECK(mcpd_scan_cancel(cancelled) == MCPD_OK);
    mcpd_scan_free(cancelled);
    check_nothing_left(fds);
}

static void check_cancelling(void)
{
    check_cancelled("cancelled from a thread", fire_soon);
    check_cancelled("cancelled from a signal handler", NULL);
    check_cancelled("cancelled after another call was refused", use_meanwhile);

    /* Before anything is started nothing is. */
    int fds = descriptors();
    mcpd_scan *scan = new_stubborn();
    CHECK(mcpd_scan_cancel(scan) == MCPD_OK);
    take_all(scan, STUBBORN + QUEUED, MCPD_CANCELLED);
    mcpd_scan_free(scan);

    /* What has its verdict keeps it. */
    scan = new_scan(2);
    add_mode(scan, "answering", "n", 0);
    add_mode(scan, "answering", "n", 1);
    mcpd_scan_item *item = next(scan, 0, MCPD_OK);
    CHECK(item != NULL && is_modern(item->verdict, "n"));
    mcpd_scan_item_free(item);
    while (living_children() > 0)
        sleep_ms(1);
    CHECK(mcpd_scan_cancel(scan) == MCPD_OK);
    item = next(scan, 0, MCPD_OK);
    CHECK(item != NULL && (item->status == MCPD_CANCELLED || is_modern(item->verdict, "n")));
    mcpd_scan_item_free(item);
    CHECK(next(scan, 0, MCPD_OK) == NULL);
    mcpd_scan_free(scan);

    /* One of many, by a handle that is freed while the probe runs; and one whose handle was fired before. */
    mcpd_cancel *one, *other;
    CHECK(mcpd_cancel_new(&one, NULL) == MCPD_OK && mcpd_cancel_new(&other, NULL) == MCPD_OK);
    scan = new_scan(3);
    const char *argv[] = {server, "silent", NULL};
    mcpd_probe_options options = patient(argv);
    options.cancel = one;
    add(scan, &options, 0);
    options.cancel = other;
    CHECK(mcpd_cancel_fire(other) == MCPD_OK);
    add(scan, &options, 1);
    mcpd_cancel_free(other);
    add_mode(scan, "good", "n", 2);
    for (int i = 0; i < 2; i++) {
        item = next(scan, 0, MCPD_OK);
        CHECK(item != NULL && item->tag != 0 && item->status == (item->tag == 1 ? MCPD_CANCELLED : MCPD_OK));
        mcpd_scan_item_free(item);
    }
    CHECK(next(scan, 10, MCPD_TIMED_OUT) == NULL);
    CHECK(mcpd_cancel_fire(one) == MCPD_OK);
    mcpd_cancel_free(one);
    item = next(scan, 0, MCPD_OK);
    CHECK(item != NULL && item->tag == 0 && item->status == MCPD_CANCELLED);
    mcpd_scan_item_free(item);
    mcpd_scan_free(scan);
    check_nothing_left(fds);
}

/* Freed while servers run: all of them end at once. */
static void check_freeing(void)
{
    int fds = descriptors();
    mcpd_scan *scan = new_stubborn();
    CHECK(next(scan, 100, MCPD_TIMED_OUT) == NULL);
    CHECK(living_children() == STUBBORN);
    fired_at = now_ms();
    mcpd_scan_free(scan);
    check_time("freed while servers run");
    check_nothing_left(fds);
    mcpd_scan_free(new_stubborn());
    mcpd_scan_free(new_scan(0));
    mcpd_scan_free(NULL);
    check_nothing_left(fds);
}

static void *take_one(void *scan)
{
    mcpd_scan_item_free(next(scan, 0, MCPD_OK));
    return NULL;
}

/* A child of a fork is told, and whatever it does reaches neither the scan nor its servers. */
static void check_forking(void)
{
    enum { COUNT = 16 };
    int fds = descriptors();
    mcpd_scan *scan = new_scan(COUNT);
    for (uint64_t i = 0; i < COUNT; i++)
        add_mode(scan, "slow", "2000", i); /* All of them have been started long before, also under a sanitizer. */
    CHECK(next(scan, 50, MCPD_TIMED_OUT) == NULL);
    pid_t child = fork();
    if (child == 0) {
        const char *argv[] = {server, "good", "child", NULL};
        mcpd_probe_options options = patient(argv);
        alarm(20);
        CHECK(next(scan, 0, MCPD_WRONG_PROCESS) == NULL);
        CHECK(mcpd_scan_add(scan, &options, 0, NULL) == MCPD_WRONG_PROCESS);
        CHECK(mcpd_scan_cancel(scan) == MCPD_WRONG_PROCESS);
        mcpd_scan_free(scan);
        scan = new_scan(2);
        add(scan, &options, 0);
        take_all(scan, 1, MCPD_OK);
        mcpd_scan_free(scan);
        _exit(failures != 0);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(living_children() == COUNT);
    take_all(scan, COUNT, MCPD_OK);

    /* Each call may come from another thread. */
    for (uint64_t i = 0; i < COUNT; i++)
        add_mode(scan, "slow", "50", i);
    for (int i = 0; i < COUNT; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, take_one, scan);
        pthread_join(thread, NULL);
    }
    take_all(scan, 0, MCPD_OK);
    mcpd_scan_free(scan);
    check_nothing_left(fds);
}

/* With too few descriptors some probes are told so, and nothing else goes wrong. */
static void check_scarcity(void)
{
    enum { COUNT = 16 };
    int fds = descriptors();
    struct rlimit limit, little;
    CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    int refused = 0, served = 0, none = 0, used = open("/dev/null", O_RDONLY);
    close(used);
    for (int spare = 0; spare < 80; spare += spare < 24 ? 1 : 7) {
        mcpd_scan *scan;
        little = limit;
        little.rlim_cur = (rlim_t)(used + spare);
        CHECK(setrlimit(RLIMIT_NOFILE, &little) == 0);
        mcpd_status made = mcpd_scan_new(NULL, &scan, NULL);
        CHECK(made == MCPD_OK || made == MCPD_OUT_OF_RESOURCES);
        none += made != MCPD_OK;
        for (uint64_t i = 0; scan != NULL && i < COUNT; i++)
            add_mode(scan, "good", "n", i);
        for (int i = 0; scan != NULL && i < COUNT; i++) {
            mcpd_scan_item *item = next(scan, 0, MCPD_OK);
            CHECK(item != NULL);
            if (item == NULL)
                break;
            CHECK(item->status == MCPD_OUT_OF_RESOURCES || is_modern(item->verdict, "n"));
            served += item->status == MCPD_OK;
            refused += item->status != MCPD_OK;
            mcpd_scan_item_free(item);
        }
        mcpd_scan_free(scan);
        CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
        check_nothing_left(fds);
    }
    printf("descriptors: %d scans refused, %d probes refused, %d served\n", none, refused, served);
    CHECK(none > 2 && refused > COUNT && served > COUNT);
}

/* So many scans, each left in another way. */
static void check_leaks(int count)
{
    int fds = 0;
    long halfway = 0;
    for (int round = -8; round < count; round++) {
        if (round == 0)
            fds = descriptors();
        if (round == count / 2)
            halfway = status_kb("VmRSS:");
        mcpd_scan *scan = new_scan(4);
        for (uint64_t i = 0; i < 8; i++)
            add_mode(scan, i % 4 == 3 ? "dying" : "good", "n", i);
        if (round % 4 == 1)
            mcpd_scan_item_free(next(scan, 0, MCPD_OK));
        if (round % 4 == 2)
            mcpd_scan_cancel(scan);
        if (round % 4 >= 2)
            take_all(scan, 8, round % 4 == 2 ? MCPD_CANCELLED : MCPD_OK);
        mcpd_scan_free(scan);
        CHECK(!has_child());
    }
    check_nothing_left(fds);
    long grown = status_kb("VmRSS:") - halfway;
    printf("%d scans; resident memory at half time %ld kB, then %+ld kB\n", count, halfway, grown);
    CHECK(grown < 256 || SANITIZED);
}

int main(int argc, char **argv)
{
    server = argc > 1 ? argv[1] : "";
    const char *what = argc > 2 ? argv[2] : "";
    int count = argc > 3 ? atoi(argv[3]) : 0;
    if (strcmp(what, "many") == 0)
        check_many((uint64_t)count);
    else if (strcmp(what, "leaks") == 0)
        check_leaks(count);
    else if (strcmp(what, "scarcity") == 0)
        check_scarcity();
    else {
        check_failures();
        check_dawdling();
        check_cancelling();
        check_freeing();
        check_forking();
    }
    return failures != 0;
}
