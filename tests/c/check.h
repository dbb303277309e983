/* What the C tests have in common. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mcp_discover.h"

static int failures;

#define CHECK(condition) check((condition) != 0, #condition, __FILE__, __LINE__)

static void check(int holds, const char *what, const char *file, int line)
{
    if (holds)
        return;
    fprintf(stderr, "%s:%d: %s\n", file, line, what);
    failures++;
}

static inline int is(mcpd_str text, const char *expected)
{
    if (expected == NULL)
        return text.ptr == NULL && text.len == 0;
    return text.ptr != NULL && text.len == strlen(expected) && strcmp(text.ptr, expected) == 0;
}

#endif
