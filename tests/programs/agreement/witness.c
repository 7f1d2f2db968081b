/* SPDX-License-Identifier: Apache-2.0 */
/*
 * witness.c - the counting shim, between a program and Tally
 *
 * Preloaded before the recorder, it counts the program's requests to Tally. It
 * defines new and delete only to pass them to malloc, too.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#define FIND(name)                              \
    static __typeof__(&name) next_;             \
    if (next_ == NULL) {                        \
        void *symbol = dlsym(RTLD_NEXT, #name); \
        memcpy(&next_, &symbol, sizeof symbol); \
    }

/* Mangled names of the forms of new and delete. */
#define NEW(name, parameters, ...) \
    void *name parameters;         \
    void *name parameters          \
    {                              \
        FIND(name)                 \
        return next_(__VA_ARGS__); \
    }

#define DELETE(name, parameters, ...) \
    void name parameters;             \
    void name parameters              \
    {                                 \
        FIND(name)                    \
        next_(__VA_ARGS__);           \
    }

NEW(_Znwm, (size_t size), size)
NEW(_Znam, (size_t size), size)
NEW(_ZnwmRKSt9nothrow_t, (size_t size, void *tag), size, tag)
NEW(_ZnamRKSt9nothrow_t, (size_t size, void *tag), size, tag)
NEW(_ZnwmSt11align_val_t, (size_t size, size_t align), size, align)
NEW(_ZnamSt11align_val_t, (size_t size, size_t align), size, align)
NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, (size_t size, size_t align, void *tag),
    size, align, tag)
NEW(_ZnamSt11align_val_tRKSt9nothrow_t, (size_t size, size_t align, void *tag),
    size, align, tag)

DELETE(_ZdlPv, (void *block), block)
DELETE(_ZdaPv, (void *block), block)
DELETE(_ZdlPvm, (void *block, size_t size), block, size)
DELETE(_ZdaPvm, (void *block, size_t size), block, size)
DELETE(_ZdlPvRKSt9nothrow_t, (void *block, void *tag), block, tag)
DELETE(_ZdaPvRKSt9nothrow_t, (void *block, void *tag), block, tag)
DELETE(_ZdlPvSt11align_val_t, (void *block, size_t align), block, align)
DELETE(_ZdaPvSt11align_val_t, (void *block, size_t align), block, align)
DELETE(_ZdlPvmSt11align_val_t, (void *block, size_t size, size_t align), block,
       size, align)
DELETE(_ZdaPvmSt11align_val_t, (void *block, size_t size, size_t align), block,
       size, align)
