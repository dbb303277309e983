/* How servers are started, and what is said where they can't be: host_start SERVER, in an empty folder. */
#include "host.h"

#include <fcntl.h>
#include <sys/stat.h>

#define SECRET "s3cr3t-v4lu3"

static const char *server;

/* The name that the server gives, which tells what it has found. */
static void check_name(const mcpd_probe_options *options, const char *expected)
{
    mcpd_verdict *verdict;
    CHECK(probe(options, &verdict) == MCPD_OK);
    if (verdict != NULL && !is_modern(verdict, expected)) {
        fprintf(stderr, "expected the name %s: %s\n", expected, verdict->summary.ptr);
        if (verdict->server != NULL)
            fprintf(stderr, "found %s\n", verdict->server->name.ptr);
        failures++;
    }
    mcpd_verdict_free(verdict);
}

static void check_variable(const char *name, const char *const *env, mcpd_env_mode mode, const char *expected)
{
    const char *argv[] = {server, "env", name, NULL};
    mcpd_probe_options options = patient(argv);
    options.env = env;
    options.env_mode = mode;
    check_name(&options, expected);
}

static void check_environment(void)
{
    const char *const set[] = {"A=1", "B=x=y z", "HOST", "A=2", NULL};
    const char *const again[] = {"A=1", "A", "B", "B=\xff", NULL};
    setenv("HOST", "host", 1);
    setenv("KEPT", "kept", 1);
    check_variable("HOST", NULL, MCPD_ENV_INHERIT, "host");
    check_variable("A", set, MCPD_ENV_INHERIT, "2");
    check_variable("B", set, MCPD_ENV_INHERIT, "x=y z");
    check_variable("HOST", set, MCPD_ENV_INHERIT, "(unset)");
    check_variable("KEPT", set, MCPD_ENV_INHERIT, "kept");
    check_variable("A", again, MCPD_ENV_INHERIT, "(unset)");
    check_variable("B", again, MCPD_ENV_INHERIT, "<ff>");
    check_variable("A", set, MCPD_ENV_EXACT, "2");
    check_variable("KEPT", set, MCPD_ENV_EXACT, "(unset)");
    check_variable("PATH", set, MCPD_ENV_EXACT, "(unset)");
    CHECK(strcmp(getenv("HOST"), "host") == 0 && getenv("A") == NULL);
}

static void check_folders(void)
{
    char here[4096], link[5000], path[9000];
    CHECK(getcwd(here, sizeof here) != NULL);
    CHECK(mkdir("a b\xff'\n", 0700) == 0 && mkdir("empty", 0700) == 0);
    snprintf(link, sizeof link, "%s/a b\xff'\n/my $erver", here);
    CHECK(symlink(server, link) == 0);

    const char *by_path[] = {link, "name", NULL};
    mcpd_probe_options options = patient(by_path);
    snprintf(path, sizeof path, "%s/a b<ff>'<0a>/my $erver", here);
    check_name(&options, path);

    const char *argument[] = {server, "good", " a b\xff\n$HOME '* ", NULL};
    options = patient(argument);
    check_name(&options, " a b<ff><0a>$HOME '* ");

    /* The PATH of the server decides, not that of the host. */
    const char *by_name[] = {"my $erver", "cwd", NULL};
    snprintf(path, sizeof path, "PATH=/nowhere:%s/empty:%s/a b\xff'\n", here, here);
    const char *const env[] = {path, NULL};
    options = patient(by_name);
    CHECK(probe(&options, NULL) == MCPD_COMMAND_NOT_FOUND);
    options.env = env;
    check_name(&options, here);
    const char *shell[] = {"sh", "-c", "exit", NULL};
    const char *const nowhere[] = {"PATH=/nowhere", NULL};
    options = patient(shell);
    CHECK(probe(&options, NULL) == MCPD_OK);
    options.env = nowhere;
    CHECK(probe(&options, NULL) == MCPD_COMMAND_NOT_FOUND);

    /* The working directory is the server's alone, and what is relative is relative to it. */
    const char *relative[] = {"./my $erver", "cwd", NULL};
    options = patient(relative);
    options.cwd = "a b\xff'\n";
    snprintf(path, sizeof path, "%s/a b<ff>'<0a>", here);
    check_name(&options, path);
    CHECK(getcwd(path, sizeof path) != NULL && strcmp(path, here) == 0);
    options.cwd = "/no/such/folder";
    CHECK(probe(&options, NULL) == MCPD_START_FAILED);
}

static int writer;

static void *close_soon(void *unused)
{
    sleep_ms(150);
    close(writer);
    return unused;
}

/* A program that somebody still writes is waited for, for about a second. */
static void check_busy(void)
{
    char copy[5000];
    snprintf(copy, sizeof copy, "cp '%s' copy", server);
    CHECK(system(copy) == 0);
    writer = open("copy", O_WRONLY | O_CLOEXEC);
    CHECK(writer >= 0);
    const char *argv[] = {"./copy", "good", "copy", NULL};
    mcpd_probe_options options = patient(argv);
    pthread_t thread;
    pthread_create(&thread, NULL, close_soon, NULL);
    check_name(&options, "copy");
    pthread_join(thread, NULL);
    writer = open("copy", O_WRONLY | O_CLOEXEC);
    double begin = now_ms();
    CHECK(probe(&options, NULL) == MCPD_START_FAILED);
    CHECK(now_ms() - begin < 5000);
    close(writer);
}

/* What can't be started: the message names the command, and nothing secret. */
static void check_refusal(const char *command, const char *cwd, mcpd_status expected, const char *part)
{
    const char *argv[] = {command, SECRET, NULL};
    const char *const env[] = {"TOKEN=" SECRET, "PATH=/some/where:/else", SECRET "=x", NULL};
    mcpd_probe_options options = patient(argv);
    mcpd_verdict *verdict;
    mcpd_error *error;
    options.env = env;
    options.cwd = cwd;
    mcpd_status status = mcpd_probe_stdio(&options, &verdict, &error);
    if (status != expected || strstr(error->message.ptr, part) == NULL || strstr(error->message.ptr, SECRET) != NULL) {
        fprintf(stderr, "%s: %s: %s\n", command, mcpd_status_name(status), error == NULL ? "" : error->message.ptr);
        failures++;
    }
    mcpd_error_free(error);
    mcpd_verdict_free(verdict);
}

/* Where descriptors run out, at whatever step. */
static void check_exhausted(void)
{
    const char *argv[] = {server, SECRET, NULL};
    const char *const env[] = {"TOKEN=" SECRET, NULL};
    mcpd_probe_options options = impatient(argv);
    struct rlimit limit, less;
    CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    less = limit;
    options.env = env;
    int used = open("/dev/null", O_RDONLY | O_CLOEXEC), refused = 0;
    close(used);
    for (int spare = 0; spare < 20; spare++) {
        mcpd_verdict *verdict;
        mcpd_error *error;
        less.rlim_cur = (rlim_t)used + (rlim_t)spare;
        setrlimit(RLIMIT_NOFILE, &less);
        mcpd_probe_stdio(&options, &verdict, &error);
        setrlimit(RLIMIT_NOFILE, &limit);
        refused += error != NULL;
        CHECK(error == NULL || strstr(error->message.ptr, SECRET) == NULL);
        mcpd_error_free(error);
        mcpd_verdict_free(verdict);
    }
    CHECK(refused > 5);
}

static void write_file(const char *path, const char *text, mode_t mode)
{
    int file = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    CHECK(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text) && fchmod(file, mode) == 0);
    close(file);
}

static void check_refusals(void)
{
    setenv("HOST_TOKEN", SECRET, 1);
    write_file("plain", "#!/bin/sh\n", 0600);
    write_file("headless", "echo hello\n", 0700);
    write_file("orphan", "#!/no/such/interpreter\n", 0700);
    check_refusal("no-such-command", NULL, MCPD_COMMAND_NOT_FOUND, "no-such-command");
    check_refusal("no-such-command", NULL, MCPD_COMMAND_NOT_FOUND, "/some/where:/else");
    check_refusal("./none", NULL, MCPD_COMMAND_NOT_FOUND, "./none");
    check_refusal("", NULL, MCPD_COMMAND_NOT_FOUND, "empty");
    check_refusal("/", NULL, MCPD_PERMISSION_DENIED, "directory");
    check_refusal("./plain", NULL, MCPD_PERMISSION_DENIED, "./plain");
    check_refusal("./headless", NULL, MCPD_START_FAILED, "./headless");
    check_refusal("./orphan", NULL, MCPD_COMMAND_NOT_FOUND, "interpreter");
    check_refusal("/bin/sh", "/no/such/folder", MCPD_START_FAILED, "/no/such/folder");
    check_refusal("/bin/sh", "/dev/null", MCPD_START_FAILED, "/dev/null");

    /* Too long for the system. */
    char *long_value = malloc(4 << 20);
    memset(long_value, 'x', (4 << 20) - 1);
    memcpy(long_value, "LONG=" SECRET, strlen("LONG=" SECRET));
    long_value[(4 << 20) - 1] = 0;
    const char *argv[] = {server, "good", "n", NULL};
    const char *const env[] = {long_value, NULL};
    mcpd_probe_options options = patient(argv);
    mcpd_error *error;
    mcpd_verdict *verdict;
    options.env = env;
    CHECK(mcpd_probe_stdio(&options, &verdict, &error) == MCPD_START_FAILED);
    CHECK(error != NULL && strstr(error->message.ptr, "too long") != NULL && strstr(error->message.ptr, SECRET) == NULL);
    mcpd_error_free(error);
    free(long_value);

    /* Neither does a verdict hold what the server was given. */
    const char *secret_argv[] = {server, "dying", SECRET, NULL};
    const char *const secret_env[] = {"TOKEN=" SECRET, NULL};
    mcpd_text *json;
    options = patient(secret_argv);
    options.env = secret_env;
    options.max_transcript_bytes = 1 << 20;
    CHECK(probe(&options, &verdict) == MCPD_OK);
    CHECK(mcpd_verdict_to_json(verdict, &json, NULL) == MCPD_OK);
    CHECK(strstr(json->text.ptr, SECRET) == NULL && strstr(json->text.ptr, "TOKEN") == NULL);
    mcpd_text_free(json);
    mcpd_verdict_free(verdict);
}

int main(int argc, char **argv)
{
    server = argc > 1 ? argv[1] : "";
    int before = descriptors();
    check_environment();
    check_folders();
    check_busy();
    check_refusals();
    check_exhausted();
    CHECK(descriptors() == before && !has_child());
    return failures != 0;
}
