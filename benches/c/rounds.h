/* What every measuring program does: each line on standard input is a number of times; the task runs as often, and a
 * line on standard output tells what it took: nanoseconds for all, the nanoseconds of it until the last answer was
 * there, where the task has answers, and the peak of the program's own memory in kB. */
#ifndef ROUNDS_H
#define ROUNDS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static inline void check(int ok, const char *what)
{
    if (!ok) {
        perror(what);
        exit(1);
    }
}

static long peak_kb(void)
{
    char line[256];
    long peak = 0;
    FILE *status = fopen("/proc/self/status", "r");
    check(status != NULL, "/proc/self/status");
    while (fgets(line, sizeof line, status) != NULL)
        if (sscanf(line, "VmHWM: %ld", &peak) == 1)
            break;
    fclose(status);
    return peak;
}

/* The task runs so many times, and gives the nanoseconds that passed until answers were there. */
typedef int64_t task(const void *what, long times);

static int run_rounds(task *task, const void *what)
{
    char line[32];
    while (fgets(line, sizeof line, stdin) != NULL) {
        long times = atol(line);
        int64_t began = now();
        int64_t answered = task(what, times);
        int64_t took = now() - began;
        printf("%lld %lld %ld\n", (long long)took, (long long)answered, peak_kb());
        fflush(stdout);
    }
    return 0;
}

#endif
