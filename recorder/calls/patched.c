/* SPDX-License-Identifier: Apache-2.0 */
/* patched.c - see patched.h */
#include "recorder/calls/patched.h"

#include <stdint.h>
#include <string.h>

#include "core/base/plain_load.h"
#include "recorder/calls/recording.h"
#include "recorder/real_functions.h"

/* How deep the thread is in calls that are accounted already. */
static _Thread_local uint32_t depth;

static struct {
#define MOVED(type, name, parameters, ...) type(*name) parameters;
    REAL_ALLOCATOR_LIST(MOVED)
    void (*free)(void *block);
} moved;

#define PATCHED(type, name, parameters, arguments)          \
    HIDDEN type own_##name parameters;                      \
                                                            \
    static type inner_##name parameters                     \
    {                                                       \
        type result;                                        \
                                                            \
        depth++;                                            \
        result = moved.name arguments;                      \
        depth--;                                            \
        return result;                                      \
    }                                                       \
                                                            \
    static type patched_##name parameters                   \
    {                                                       \
        return UNLIKELY(depth != 0) ? moved.name arguments  \
                                    : own_##name arguments; \
    }
REAL_ALLOCATOR_LIST(PATCHED)

HIDDEN void own_free(void *block);

static void inner_free(void *block)
{
    depth++;
    moved.free(block);
    depth--;
}

static void patched_free(void *block)
{
    if (UNLIKELY(depth != 0))
        moved.free(block);
    else
        own_free(block);
}

/* A name, where its jump leads, and the pointers that change. */
struct patched {
    const char *name;
    void *entry;
    void *moved;
    void *real;
    void *inner;
};

static bool find(const char *name, struct patched *found)
{
#define ROW(type, name, ...)                                  \
    { #name, (void *)patched_##name, &moved.name, &real.name, \
      (void *)inner_##name },
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
    memcpy(found.real, &found.inner, sizeof found.inner);
}
