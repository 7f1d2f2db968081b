/* SPDX-License-Identifier: Apache-2.0 */
/* patched.c - see patched.h */
#include "recorder/calls/patched.h"

#include <stdint.h>
#include <string.h>

#include "core/base/plain_load.h"
#include "recorder/calls/recording.h"
#include "recorder/real_functions.h"

_Thread_local uint32_t patched_depth;

/* What the program's functions were, and what was behind us before. */
static struct allocator {
#define MOVED(type, name, parameters, ...) type(*name) parameters;
    REAL_ALLOCATOR_LIST(MOVED)
    void (*free)(void *block);
} moved, behind;

/* Some malloc only hands on, to the next one of that name: to us again. */
#define PATCHED(type, name, parameters, arguments)                  \
    HIDDEN type own_##name parameters;                              \
                                                                    \
    static type inner_##name parameters                             \
    {                                                               \
        type result;                                                \
                                                                    \
        if (UNLIKELY(patched_depth != 0))                           \
            return behind.name arguments;                           \
        patched_depth++;                                            \
        result = moved.name arguments;                              \
        patched_depth--;                                            \
        return result;                                              \
    }                                                               \
                                                                    \
    static type patched_##name parameters                           \
    {                                                               \
        return UNLIKELY(patched_depth != 0) ? moved.name arguments  \
                                            : own_##name arguments; \
    }
REAL_ALLOCATOR_LIST(PATCHED)

HIDDEN void own_free(void *block);

static void inner_free(void *block)
{
    if (UNLIKELY(patched_depth != 0)) {
        behind.free(block);
        return;
    }
    patched_depth++;
    moved.free(block);
    patched_depth--;
}

static void patched_free(void *block)
{
    if (UNLIKELY(patched_depth != 0))
        moved.free(block);
    else
        own_free(block);
}

void *far_malloc(size_t size)
{
    return UNLIKELY(patched_depth != 0) ? behind.malloc(size)
                                        : recording_malloc(size);
}

void *far_calloc(size_t count, size_t size)
{
    return UNLIKELY(patched_depth != 0) ? behind.calloc(count, size)
                                        : recording_calloc(count, size);
}

void *far_realloc(void *block, size_t size)
{
    return UNLIKELY(patched_depth != 0) ? behind.realloc(block, size)
                                        : recording_realloc(block, size);
}

void far_free(void *block)
{
    if (UNLIKELY(patched_depth != 0))
        behind.free(block);
    else
        recording_free(block);
}

/* A name, where its jump leads, and the pointers that change. */
struct patched {
    const char *name;
    void *entry;
    void *moved;
    void *behind;
    void *real;
    void *inner;
};

static bool find(const char *name, struct patched *found)
{
#define ROW(type, name, ...)                                         \
    { #name,      (void *)patched_##name, &moved.name, &behind.name, \
      &real.name, (void *)inner_##name },
    const struct patched rows[] = { REAL_ALLOCATOR_LIST(ROW)
                                        ROW(void, free, ) };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            *found = rows[i];
            return true;
        }
    }
    return false;
}

void *patched_entry(const char *name)
{
    struct patched found;

    return find(name, &found) ? found.entry : new_delete_patch(name);
}

void patched_set(const char *name, void *code)
{
    struct patched found;

    if (strcmp(name, "malloc_usable_size") == 0)
        memcpy(&real.malloc_usable_size, &code, sizeof code);
    if (!find(name, &found))
        return;
    memcpy(found.moved, &code, sizeof code);
    memcpy(found.behind, found.real, sizeof code);
    memcpy(found.real, &found.inner, sizeof found.inner);
}
