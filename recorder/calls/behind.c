/* SPDX-License-Identifier: Apache-2.0 */
/* real_allocator.c - see real_allocator.h */
#include "recorder/calls/behind.h"

#include <string.h>

#include "core/base/plain_load.h"

_Thread_local uint32_t behind_depth;
bool behind_is_used;
struct allocator moved_code, behind;

#define INNER(type, name, parameters, arguments) \
    static type inner_##name parameters          \
    {                                            \
        type result;                             \
                                                 \
        if (UNLIKELY(behind_depth != 0))         \
            return behind.name arguments;        \
        behind_depth++;                          \
        result = moved_code.name arguments;      \
        behind_depth--;                          \
        return result;                           \
    }
REAL_ALLOCATOR_LIST(INNER)

static void inner_free(void *block)
{
    if (UNLIKELY(behind_depth != 0)) {
        behind.free(block);
        return;
    }
    behind_depth++;
    moved_code.free(block);
    behind_depth--;
}

void behind_begin(void)
{
#define KEEP(type, name, ...) behind.name = real.name;
    REAL_ALLOCATOR_LIST(KEEP)
    behind.free = real.free;
    behind_is_used = true;
}

void behind_set(const char *name, void *code, bool is_leaf)
{
#define ROW(type, name, ...) \
    { #name, &moved_code.name, &behind.name, &real.name, (void *)inner_##name },
    const struct {
        const char *name;
        void *moved, *behind, *real, *inner;
    } rows[] = { REAL_ALLOCATOR_LIST(ROW) ROW(void, free, ) };

#define FLAT_NAMED(name)      { #name, &real.name },
#define FLAT(type, name, ...) FLAT_NAMED(name)
    const struct {
        const char *name;
        void *real;
    } flat[] = { FLAT(size_t, malloc_usable_size, ) REAL_SERVICE_LIST(FLAT)
                     REAL_EXEC_LIST(FLAT_NAMED) REAL_FILTER_LIST(FLAT_NAMED) };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].name, name) != 0)
            continue;
        memcpy(rows[i].moved, &code, sizeof code);
        memcpy(rows[i].behind, rows[i].real, sizeof code);
        memcpy(rows[i].real, is_leaf ? &code : &rows[i].inner, sizeof code);
    }
    for (size_t i = 0; i < sizeof flat / sizeof flat[0]; i++) {
        if (strcmp(flat[i].name, name) == 0)
            memcpy(flat[i].real, &code, sizeof code);
    }
}
