/* SPDX-License-Identifier: Apache-2.0 */
/* real_allocator.c - see real_allocator.h */
#include "recorder/calls/real_allocator.h"

#include "core/base/plain_load.h"

_Thread_local uint32_t real_allocator_depth;
bool real_allocator_is_patched;
struct allocator moved_code, next_allocator;

#define INNER(type, name, parameters, arguments)  \
    static type inner_##name parameters           \
    {                                             \
        type result;                              \
                                                  \
        if (UNLIKELY(real_allocator_depth != 0))  \
            return next_allocator.name arguments; \
        real_allocator_depth++;                   \
        result = moved_code.name arguments;       \
        real_allocator_depth--;                   \
        return result;                            \
    }
REAL_ALLOCATOR_LIST(INNER)

static void inner_free(void *block)
{
    if (UNLIKELY(real_allocator_depth != 0)) {
        next_allocator.free(block);
        return;
    }
    real_allocator_depth++;
    moved_code.free(block);
    real_allocator_depth--;
}

void real_allocator_begin(void)
{
#define KEEP(type, name, ...) next_allocator.name = real.name;
    REAL_ALLOCATOR_LIST(KEEP)
    next_allocator.free = real.free;
    real_allocator_is_patched = true;
}

void real_allocator_set(const char *name, void *code, bool is_leaf)
{
#define ROW(type, name, ...)                                     \
    { #name, &moved_code.name, &next_allocator.name, &real.name, \
      (void *)inner_##name },
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
                     EXEC_NAMES(FLAT_NAMED) FILTER_NAMES(FLAT_NAMED) };

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
