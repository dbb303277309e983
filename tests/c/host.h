/* What the tests of host processes have in common: probing, and watching the process through /proc. The first argument of
 * each is the path of the server, host_server.c. Linux only. */
#ifndef HOST_H
#define HOST_H

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

/* A sanitizer keeps memory, and one of them a thread. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

static inline double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1000 + (double)time.tv_nsec / 1e6;
}

static inline void sleep_ms(long ms)
{
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    while (nanosleep(&time, &time) != 0 && errno == EINTR)
        ;
}

/* How many entries a folder has. */
static inline int entries(const char *path)
{
    int count = 0;
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;)
        count += entry->d_name[0] != '.';
    if (folder != NULL)
        closedir(folder);
    return count;
}

/* Open descriptors; what opendir opens is one of them each time. */
static inline int descriptors(void)
{
    return entries("/proc/self/fd");
}

static inline int threads(void)
{
    return entries("/proc/self/task");
}

/* Whether this process has a child, be it alive or a zombie. */
static inline int has_child(void)
{
    siginfo_t info;
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

/* A line of /proc/PID/status, such as that of "SigBlk:", without its name. */
static inline const char *status_line(pid_t pid, const char *name, char line[256])
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "r");
    const char *value = NULL;
    line[0] = 0;
    while (file != NULL && value == NULL && fgets(line, 256, file) != NULL)
        if (strncmp(line, name, strlen(name)) == 0)
            value = line + strlen(name) + strspn(line + strlen(name), " \t");
    if (file != NULL)
        fclose(file);
    return value;
}

static inline long status_kb(const char *name)
{
    char line[256];
    const char *value = status_line(getpid(), name, line);
    return value == NULL ? -1 : strtol(value, NULL, 10);
}

static inline int lives(pid_t pid)
{
    char line[256];
    const char *state = status_line(pid, "State:", line);
    return state != NULL && state[0] != 'Z' && state[0] != 'X';
}

/* How many children live, zombies not counted. With PR_SET_CHILD_SUBREAPER orphaned grandchildren are among them. */
static inline int living_children(void)
{
    int count = 0;
    DIR *folder = opendir("/proc");
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        char line[256];
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        const char *parent = pid > 0 ? status_line(pid, "PPid:", line) : NULL;
        count += parent != NULL && strtol(parent, NULL, 10) == getpid() && lives(pid);
    }
    if (folder != NULL)
        closedir(folder);
    return count;
}

/* As living_children, once those that have just been killed have had a moment to die. */
static inline int children_left(void)
{
    int count = living_children();
    for (int tries = 0; count > 0 && tries < 100; tries++, count = living_children())
        sleep_ms(1);
    return count;
}

static inline void reap_all(void)
{
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
}

/* Options with no patience: for servers that answer at once or not at all. */
static inline mcpd_probe_options impatient(const char *const *argv)
{
    mcpd_probe_options options = {0};
    options.struct_size = sizeof options;
    options.argv = argv;
    options.timeout_ms = 200;
    options.discover_timeout_ms = 50;
    options.grace_ms = 50;
    return options;
}

/* Options with patience: for servers that answer, on a machine that may be busy. */
static inline mcpd_probe_options patient(const char *const *argv)
{
    mcpd_probe_options options = impatient(argv);
    options.timeout_ms = 30000;
    options.discover_timeout_ms = 30000;
    options.grace_ms = 5000;
    return options;
}

/* Probes, checks that the outputs fit the status, and gives the status; the verdict goes to whoever wants it. */
static inline mcpd_status probe(const mcpd_probe_options *options, mcpd_verdict **wanted)
{
    mcpd_verdict *verdict = (mcpd_verdict *)options;
    mcpd_error *error = (mcpd_error *)options;
    mcpd_status status = mcpd_probe_stdio(options, &verdict, &error);
    CHECK((verdict != NULL) == (status == MCPD_OK));
    CHECK((error != NULL) == (status != MCPD_OK));
    CHECK(error == NULL || error->status == status);
    mcpd_error_free(error);
    if (wanted != NULL)
        *wanted = verdict;
    else
        mcpd_verdict_free(verdict);
    return status;
}

static inline int is_modern(const mcpd_verdict *verdict, const char *name)
{
    return verdict != NULL && verdict->era == MCPD_ERA_MODERN && verdict->confirmed && verdict->server != NULL
        && is(verdict->server->name, name);
}

#endif
