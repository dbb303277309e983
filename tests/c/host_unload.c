/* The library is unloaded while a thread is in it, and the thread comes back: host_unload SERVER LIBRARY. */
#include "host.h"

#include <dlfcn.h>

struct call {
    mcpd_status (*probe_stdio)(const mcpd_probe_options *, mcpd_verdict **, mcpd_error **);
    void (*verdict_free)(mcpd_verdict *);
    mcpd_probe_options options;
};

static void *run(void *argument)
{
    struct call *call = argument;
    mcpd_verdict *verdict;
    CHECK(call->probe_stdio(&call->options, &verdict, NULL) == MCPD_OK);
    call->verdict_free(verdict);
    return NULL;
}

int main(int argc, char **argv)
{
    static const char *modes[] = {"good", "silent"};
    for (int i = 0; i < 20; i++) {
        const char *command[] = {argv[1], modes[i % 2], "n", NULL};
        struct call call;
        pthread_t thread;
        void *library = dlopen(argc > 2 ? argv[2] : "", RTLD_NOW | RTLD_LOCAL);
        CHECK(library != NULL);
        if (library == NULL)
            return 1;
        *(void **)&call.probe_stdio = dlsym(library, "mcpd_probe_stdio");
        *(void **)&call.verdict_free = dlsym(library, "mcpd_verdict_free");
        call.options = impatient(command);
        pthread_create(&thread, NULL, run, &call);
        sleep_ms(i % 4 < 2 ? 10 : 0);
        CHECK(dlclose(library) == 0);
        pthread_join(thread, NULL);
    }
    return failures != 0;
}
