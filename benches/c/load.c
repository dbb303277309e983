/* Loads a library once, and tells how many nanoseconds that took: load LIBRARY */
#include <dlfcn.h>

#include <stdint.h>
#include <stdio.h>
#include <time.h>

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    struct timespec began, ended;
    clock_gettime(CLOCK_MONOTONIC, &began);
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    clock_gettime(CLOCK_MONOTONIC, &ended);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    printf("%lld\n", (long long)(ended.tv_sec - began.tv_sec) * 1000000000 + ended.tv_nsec - began.tv_nsec);
    return 0;
}
