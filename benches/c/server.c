/* A server that costs next to nothing: it answers the first request, and leaves when its input ends.
 *
 *     server                    at once
 *     server sleep MS           after so many milliseconds
 *     server noise LINES        behind so many lines that are no messages
 *     server dribble BYTES      with so long instructions, one byte at a time
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char RESULT[] =
    "\"result\":{\"resultType\":\"complete\",\"supportedVersions\":[\"2026-07-28\",\"2025-11-25\"],"
    "\"capabilities\":{\"tools\":{\"listChanged\":true},\"resources\":{\"subscribe\":true}},\"_meta\":"
    "{\"io.modelcontextprotocol/serverInfo\":{\"name\":\"weather\",\"version\":\"1.2.3\",\"title\":\"Weather\"}},"
    "\"ttlMs\":3600000,\"cacheScope\":\"public\",\"instructions\":\"Use this server to look up the weather.";

static void put(const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t written = write(1, bytes, count);
        if (written < 0)
            exit(1);
        bytes += written;
        count -= (size_t)written;
    }
}

static void sleep_ms(long ms)
{
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

static void make_noise(long lines)
{
    static const char LINE[] = "[info] worker 17 has loaded another plugin from its cache\n";
    static char block[1000 * (sizeof LINE - 1)];
    for (int i = 0; i < 1000; i++)
        memcpy(block + i * (sizeof LINE - 1), LINE, sizeof LINE - 1);
    for (; lines > 0; lines -= 1000)
        put(block, (size_t)(lines < 1000 ? lines : 1000) * (sizeof LINE - 1));
}

static void put_slowly(const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        put(bytes + i, 1);
}

/* The id of a request as it was written. */
static const char *id_in(const char *request, int *length)
{
    const char *id = strstr(request, "\"id\":");
    if (id == NULL)
        exit(1);
    id += 5;
    *length = (int)strcspn(id, ",}");
    return id;
}

int main(int argc, char **argv)
{
    static char request[16 * 1024], reply[sizeof RESULT + 1024];
    const char *mode = argc > 2 ? argv[1] : "";
    long number = argc > 2 ? atol(argv[2]) : 0;
    size_t filled = 0;
    while (memchr(request, '\n', filled) == NULL) {
        ssize_t count = read(0, request + filled, sizeof request - 1 - filled);
        if (count <= 0)
            return 1;
        filled += (size_t)count;
    }
    int length;
    const char *id = id_in(request, &length);
    if (strcmp(mode, "sleep") == 0)
        sleep_ms(number);
    if (strcmp(mode, "noise") == 0)
        make_noise(number);
    int size = snprintf(reply, sizeof reply, "{\"jsonrpc\":\"2.0\",\"id\":%.*s,%s", length, id, RESULT);
    if (strcmp(mode, "dribble") == 0) {
        put_slowly(reply, (size_t)size);
        while (number-- > 0)
            put("x", 1);
        put_slowly("\"}}\n", 4);
    } else {
        memcpy(reply + size, "\"}}\n", 4);
        put(reply, (size_t)size + 4);
    }
    while (read(0, request, sizeof request) > 0) {
    }
    return 0;
}
