/* A panic in the library is a status, nothing is printed, and the host lives: host_panic SERVER. The function that panics
 * is in libraries that are built for this test only. */
#include "host.h"

mcpd_status mcpd_test_panic(const char *message, mcpd_text **text, mcpd_error **error);

static void *panic_on_a_thread(void *unused)
{
    CHECK(mcpd_test_panic("elsewhere", &(mcpd_text *){NULL}, NULL) == MCPD_INTERNAL_ERROR);
    return unused;
}

int main(int argc, char **argv)
{
    const char *command[] = {argc > 1 ? argv[1] : "", "good", "n", NULL};
    mcpd_probe_options options = patient(command);
    for (int i = 0; i < 100; i++) {
        mcpd_text *text = (mcpd_text *)argv;
        mcpd_error *error;
        CHECK(mcpd_test_panic("on purpose", &text, &error) == MCPD_INTERNAL_ERROR && text == NULL);
        CHECK(error->status == MCPD_INTERNAL_ERROR && strstr(error->message.ptr, "on purpose") != NULL);
        mcpd_error_free(error);
        CHECK(mcpd_test_panic("on purpose", NULL, NULL) == MCPD_INVALID_ARGUMENT);
    }
    pthread_t thread;
    pthread_create(&thread, NULL, panic_on_a_thread, NULL);
    pthread_join(thread, NULL);
    CHECK(probe(&options, NULL) == MCPD_OK);
    return failures != 0;
}
