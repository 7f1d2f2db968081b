/* SPDX-License-Identifier: Apache-2.0 */
/* patched.c - see patched.h */
#include "recorder/process/patched.h"

#include <string.h>

#include "core/base/plain_load.h"
#include "format/ledger/patch_plan.h"
#include "recorder/calls/behind.h"
#include "recorder/calls/recording.h"
#include "recorder/process/prefixed.h"

#define PATCHED(type, name, parameters, arguments)                     \
    HIDDEN type own_##name parameters;                                 \
                                                                       \
    static type patched_##name parameters                              \
    {                                                                  \
        return UNLIKELY(behind_depth != 0) ? moved_code.name arguments \
                                           : own_##name arguments;     \
    }
REAL_BUT_MALLOC_LIST(PATCHED)

/* The two that are called most, in place: a jump less. */
static void *patched_malloc(size_t size)
{
    return UNLIKELY(behind_depth != 0) ? moved_code.malloc(size)
                                       : acquire(size);
}

static void patched_free(void *block)
{
    if (UNLIKELY(behind_depth != 0))
        moved_code.free(block);
    else
        release(block);
}

/* Where libc asks itself, no preload would see it. */
#define SERVICE(type, name, parameters, arguments)                     \
    HIDDEN type own_##name parameters;                                 \
                                                                       \
    static type patched_##name parameters                              \
    {                                                                  \
        return UNLIKELY(real_is_libcs(CALLER)) ? real.name arguments   \
                                               : own_##name arguments; \
    }
REAL_SERVICE_LIST(SERVICE)

/* system() is libc's, and runs a program for its caller. */
#define DIRECT(name) extern HIDDEN __typeof__(name) own_##name;
REAL_EXEC_LIST(DIRECT)
REAL_FILTER_LIST(DIRECT)

void *patched_entry(const char *name)
{
#define ROW(type, name, ...) { #name, (void *)patched_##name },
#define DIRECT_ROW(name)     { #name, (void *)own_##name },
    const struct {
        const char *name;
        void *entry;
    } rows[] = { REAL_ALLOCATOR_LIST(ROW) ROW(void, free, ) REAL_SERVICE_LIST(
        ROW) REAL_EXEC_LIST(DIRECT_ROW) REAL_FILTER_LIST(DIRECT_ROW) };

    if (*name == PATCH_PREFIXED)
        return prefixed_entry(name + 1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].name, name) == 0)
            return rows[i].entry;
    }
    return new_delete_entry(name);
}
