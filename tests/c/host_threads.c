/* Threads that probe at once hear their own server only, and no server gets a descriptor of another: host_threads SERVER. */
#include "host.h"

enum { THREADS = 32, ROUNDS = 3 };

static const char *server;
static pthread_barrier_t barrier;

static void *probe_own(void *number)
{
    char name[16];
    snprintf(name, sizeof name, "%d", (int)(intptr_t)number);
    const char *argv[] = {server, "descriptors", name, NULL};
    mcpd_probe_options options = patient(argv);
    for (int round = 0; round < ROUNDS; round++) {
        mcpd_verdict *verdict;
        pthread_barrier_wait(&barrier);
        CHECK(probe(&options, &verdict) == MCPD_OK);
        CHECK(is_modern(verdict, name));
        if (verdict != NULL) {
            CHECK(verdict->starts == 1 && verdict->remarks_count == 0);
            if (verdict->processes[0]->stderr_tail.len != 0) {
                fprintf(stderr, "server %s has: %s\n", name, verdict->processes[0]->stderr_tail.ptr);
                failures++;
            }
        }
        mcpd_verdict_free(verdict);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    server = argc > 1 ? argv[1] : "";
    /* What this process has inherited itself would be passed on to any server. */
    for (int fd = 3; fd < 1024; fd++)
        close(fd);
    int before = descriptors();
    pthread_t all[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    double begin = now_ms();
    for (int i = 0; i < THREADS; i++)
        pthread_create(&all[i], NULL, probe_own, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(all[i], NULL);
    printf("%d probes, %d at once, in %.0f ms\n", THREADS * ROUNDS, THREADS, now_ms() - begin);
    CHECK(descriptors() == before && (threads() == 1 || SANITIZED) && !has_child());
    return failures != 0;
}
