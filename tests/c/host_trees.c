/* A server ends with all that it has started, in time: host_trees SERVER. */
#include "host.h"

static void check_tree(const char *server, const char *what, const char *script, const char *name)
{
    const char *argv[] = {"/bin/sh", "-c", script, server, NULL};
    mcpd_probe_options options = impatient(argv);
    mcpd_verdict *verdict;
    options.timeout_ms = 3000;
    options.discover_timeout_ms = 1500;
    options.grace_ms = 300;
    double begin = now_ms();
    CHECK(probe(&options, &verdict) == MCPD_OK);
    double took = now_ms() - begin;
    int living = children_left();
    printf("%-46s %6.0f ms, %d left\n", what, took, living);
    if (living != 0) {
        fprintf(stderr, "%s: %d processes are left\n", what, living);
        failures++;
    }
    if (verdict != NULL) {
        CHECK(took < 3000 + (double)verdict->starts * (2 * 300 + 2000));
        CHECK(name == NULL || is_modern(verdict, name));
    }
    mcpd_verdict_free(verdict);
    reap_all();
}

/* Who has ended says no more: no deadline is waited for, though a grandchild holds the pipes. */
static void check_exit(const char *server)
{
    double begin = now_ms();
    check_tree(server, "an exit that leaves a grandchild", "\"$0\" stubborn & exit 3", NULL);
    CHECK(now_ms() - begin < 1500);
}

int main(int argc, char **argv)
{
    /* Orphans come to this process, so that it sees them. */
    CHECK(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0);
    const char *server = argc > 1 ? argv[1] : "";
    check_tree(server, "a shell that waits", "exec 3<&0; \"$0\" good shell <&3 3<&- & wait", "shell");
    check_tree(server, "a shell that waits for a stubborn server", "\"$0\" stubborn & wait", NULL);
    check_tree(server, "a launcher that execs", "exec \"$0\" good launched", "launched");
    check_tree(server, "a launcher of a launcher", "sh -c '\"$0\" good deep; exit' \"$0\"; exit", "deep");
    check_tree(server, "a stubborn grandchild with the pipes", "\"$0\" stubborn & exec \"$0\" good a", "a");
    check_tree(server, "a stubborn grandchild without the pipes",
               "\"$0\" stubborn </dev/null >/dev/null 2>&1 & exec \"$0\" good b", "b");
    check_tree(server, "a grandchild that keeps the pipes", "\"$0\" staying & exec \"$0\" good c", "c");
    check_exit(server);
    check_tree(server, "twenty stubborn grandchildren",
               "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do \"$0\" stubborn & done; exec \"$0\" good d",
               "d");
    check_tree(server, "a stubborn leader with a stubborn grandchild", "\"$0\" stubborn & exec \"$0\" stubborn", NULL);
    check_tree(server, "a stopped server", "kill -STOP $$", NULL);

    /* The stated limit: what has moved to a session of its own lives on; but it delays nothing. */
    const char *apart[] = {"/bin/sh", "-c", "setsid \"$0\" staying & sleep 0.3; exec \"$0\" good e", server, NULL};
    mcpd_probe_options options = patient(apart);
    mcpd_verdict *verdict;
    double begin = now_ms();
    CHECK(probe(&options, &verdict) == MCPD_OK && is_modern(verdict, "e"));
    CHECK(now_ms() - begin < 5000);
    mcpd_verdict_free(verdict);
    printf("a session of its own: %d left, after %.0f ms\n", living_children(), now_ms() - begin);
    CHECK(living_children() == 1);
    siginfo_t info = {0};
    DIR *folder = opendir("/proc");
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char line[256];
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        const char *parent = pid > 0 ? status_line(pid, "PPid:", line) : NULL;
        if (parent != NULL && strtol(parent, NULL, 10) == getpid())
            kill(pid, SIGKILL);
    }
    closedir(folder);
    CHECK(waitid(P_ALL, 0, &info, WEXITED) == 0);
    return failures != 0;
}
