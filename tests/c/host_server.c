/* The server of the tests of host processes: host_server MODE [VALUE]. It is small, for a thousand of them are started. */
#define _GNU_SOURCE
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MEBIBYTE = 1 << 20 };

static char request[1 << 16];

/* Whether there is another request. */
static int asked(void)
{
    return fgets(request, sizeof request, stdin) != NULL;
}

static void answer(const char *name)
{
    printf("{\"jsonrpc\":\"2.0\",\"id\":\"discover-1\",\"result\":{\"supportedVersions\":[\"2026-07-28\"],"
           "\"resultType\":\"complete\",\"capabilities\":{},\"ttlMs\":1,\"cacheScope\":\"private\","
           "\"_meta\":{\"io.modelcontextprotocol/serverInfo\":{\"version\":\"1\",\"name\":\"");
    for (; *name != 0; name++) {
        if ((unsigned char)*name < 0x80 && *name != '"' && *name != '\\' && *name >= ' ')
            putchar(*name);
        else
            printf("<%02x>", (unsigned char)*name);
    }
    puts("\"}}}}");
    fflush(stdout);
}

/* A good server: answers once, and leaves when its input ends. */
static int serve(const char *name)
{
    if (asked())
        answer(name);
    while (asked())
        ;
    return 0;
}

/* Answers late. */
static int serve_slowly(const char *milliseconds)
{
    struct timespec time = {atol(milliseconds) / 1000, atol(milliseconds) % 1000 * 1000000};
    if (asked() && nanosleep(&time, NULL) == 0)
        answer("slow");
    while (asked())
        ;
    return 0;
}

/* Answers and leaves, whether or not anybody reads it. */
static int answer_and_leave(const char *name)
{
    if (asked())
        answer(name);
    return 0;
}

static int silent(void)
{
    while (asked())
        ;
    return 0;
}

static int stay(void)
{
    for (;;)
        pause();
    return 0;
}

static void tell_signals(void)
{
    char line[256];
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, "Sig", 3) == 0)
            fputs(line, stderr);
}

/* Every open descriptor above 2 and what it leads to, one a line. */
static void tell_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[300], target[300] = "";
        snprintf(path, sizeof path, "/proc/self/fd/%s", entry->d_name);
        if (atoi(entry->d_name) > 2 && atoi(entry->d_name) != dirfd(folder)
            && readlink(path, target, sizeof target - 1) > 0)
            fprintf(stderr, "%s %s\n", entry->d_name, target);
    }
}

/* So many mebibytes of one letter. */
static void flood(FILE *file, long mebibytes)
{
    static char letters[MEBIBYTE];
    memset(letters, 'x', sizeof letters);
    while (mebibytes-- > 0)
        if (fwrite(letters, 1, sizeof letters, file) != sizeof letters)
            return;
    fflush(file);
}

/* An answer with a member of so many mebibytes, made of a piece that is repeated. */
static void answer_at_length(const char *open, const char *piece, const char *close, long mebibytes)
{
    printf("{\"jsonrpc\":\"2.0\",\"id\":\"discover-1\",\"result\":{\"supportedVersions\":[\"2026-07-28\"],%s", open);
    for (long count = mebibytes * MEBIBYTE / (long)strlen(piece); count > 0; count--)
        fputs(piece, stdout);
    printf("%s}}\n", close);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    const char *value = argc > 2 ? argv[2] : "";
    char *text;
    if (strcmp(mode, "good") == 0)
        return serve(value);
    if (strcmp(mode, "slow") == 0)
        return serve_slowly(value);
    if (strcmp(mode, "answering") == 0)
        return answer_and_leave(value);
    if (strcmp(mode, "exiting") == 0)
        return 3;
    if (strcmp(mode, "dying") == 0)
        return asked() ? 3 : 0;
    if (strcmp(mode, "killed") == 0)
        return asked() ? raise(SIGKILL) : 0;
    if (strcmp(mode, "silent") == 0)
        return silent();
    if (strcmp(mode, "deaf") == 0)
        return close(0) + stay();
    if (strcmp(mode, "stubborn") == 0)
        return signal(SIGTERM, SIG_IGN) == SIG_ERR ? 1 : stay();
    if (strcmp(mode, "staying") == 0)
        return stay();
    if (strcmp(mode, "signals") == 0) {
        tell_signals();
        return asked() ? 3 : 0;
    }
    if (strcmp(mode, "descriptors") == 0) {
        tell_descriptors();
        return serve(value);
    }
    if (strcmp(mode, "env") == 0)
        return serve((text = getenv(value)) == NULL ? "(unset)" : text);
    if (strcmp(mode, "cwd") == 0)
        return serve((text = getcwd(NULL, 0)) == NULL ? "" : text);
    if (strcmp(mode, "name") == 0)
        return serve(argv[0]);
    if (strcmp(mode, "line") == 0) {
        flood(stdout, atol(value));
        return silent();
    }
    if (strcmp(mode, "errors") == 0) {
        flood(stderr, atol(value));
        return serve("errors");
    }
    if (strcmp(mode, "text") == 0)
        answer_at_length("\"instructions\":\"", "xxxxxxxxxxxxxxxx", "\"", atol(value));
    if (strcmp(mode, "escapes") == 0)
        answer_at_length("\"instructions\":\"", "\\n\\u0001", "\"", atol(value));
    if (strcmp(mode, "bytes") == 0)
        answer_at_length("\"instructions\":\"", "\xff", "\"", atol(value));
    if (strcmp(mode, "members") == 0)
        answer_at_length("\"capabilities\":{\"extensions\":{\"a\":0", ",\"\":0", "}}", atol(value));
    if (strcmp(mode, "list") == 0)
        answer_at_length("\"supportedVersions\":[\"2026-07-28\"", ",\"\"", "]", atol(value));
    if (strcmp(mode, "icons") == 0)
        answer_at_length(
            "\"_meta\":{\"io.modelcontextprotocol/serverInfo\":{\"name\":\"n\",\"version\":\"1\",\"icons\":[{\"src\":\"\"}",
            ",{\"src\":\"\"}", "]}}", atol(value));
    return silent();
}
