/* SPDX-License-Identifier: Apache-2.0 */
/*
 * new_delete.c - C++ operator new and delete, all forms
 *
 * The site of a new expression is its own place in the program, not the inside
 * of the C++ library. So new asks the real malloc itself, with that place as
 * the caller, and does with failure what the library does: its new_handler, its
 * exception. Delete is free.
 *
 * That is right while the operators that the program would have had without us
 * are the C++ library's, or the allocator's. When others replaced them, we
 * only call the replacement: its own calls of malloc are recorded.
 */
#define _GNU_SOURCE
#include "recorder/calls/new_delete.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "ledger/record/record.h"
#include "ledger/space/modules.h"
#include "ports/posix/loaded_symbols.h"
#include "recorder/calls/counting.h"
#include "recorder/calls/mode.h"
#include "recorder/calls/new_failure.h"
#include "recorder/calls/observe.h"
#include "recorder/calls/release.h"
#include "recorder/real_functions.h"
#include "recorder/stacks/stacks.h"

enum owner { OWNER_UNKNOWN, OWNER_LIBRARY, OWNER_SOMEBODY };

/* Of all forms; found before main. */
static uint32_t owner = OWNER_UNKNOWN;

/* From the start, and so for good. */
static bool has_library;

/*
 * One form: its mangled name, and the definition behind ours. NULL: there was
 * none before main, and what a plugin brings later leads to malloc anyway.
 */
struct form {
    const char *name;
    void *next;
};

static bool is_library(const char *path)
{
    return path != NULL && (strstr(path, "/libstdc++.so") != NULL ||
                            strstr(path, "/libc++") != NULL);
}

static bool is_ours(struct form *form)
{
    if (owner == OWNER_UNKNOWN)
        new_delete_find();
    return form->next == NULL || owner == OWNER_LIBRARY;
}

/* A plugin may have loaded the library, and unloaded it again. */
static void find_late(struct form *form)
{
    if (has_library)
        return;
    form->next = loaded_symbols_among(form->name, is_library);
    new_failure_find(is_library);
}

static bool is_nothrow(const struct form *form)
{
    return strstr(form->name, "nothrow") != NULL;
}

static bool is_failure_ours(struct form *form)
{
    find_late(form);
    return form->next == NULL || new_failure_is_ours(is_nothrow(form));
}

/* libstdc++ asks for at least one byte, and for whole multiples. */
static inline void *plain(size_t alignment, size_t size)
{
    (void)alignment;
    return real.malloc(size == 0 ? 1 : size);
}

static inline void *aligned(size_t alignment, size_t size)
{
    size_t rounded = (size == 0 ? 1 : size) + alignment - 1;

    if (rounded < size)
        return NULL;
    return real.aligned_alloc(alignment, rounded & ~(alignment - 1));
}

/* In the modes of lean.c; NULL: in another way. */
static inline void *lean_new(observe_aligned_fn *allocate, size_t alignment,
                             size_t size)
{
    enum mode mode = mode_now();
    void *block;

    if (mode == MODE_IDLE)
        return allocate(alignment, size);
    if (mode < MODE_WORDS || mode > MODE_BOTH ||
        counting_pass(size) != COUNTING_PASSED)
        return NULL;
    block = allocate(alignment, size);
    return LIKELY(block != NULL) ? block : counting_fail(size);
}

/*
 * A new in all cases but the usual one. False: the block, or its absence, is
 * `next`'s to bring about.
 */
static bool new_slow(struct form *form, observe_aligned_fn *allocate,
                     size_t alignment, size_t size, uintptr_t caller,
                     void **block)
{
    if (!is_ours(form))
        return false;
    caller = new_failure_caller(caller);
    for (;;) {
        *block = observe_new(allocate, alignment, size, caller);
        if (*block != NULL)
            return true;
        if (!is_failure_ours(form)) {
            if (is_nothrow(form))
                new_failure_enter(caller);
            return false;
        }
        observe_failed_new(size, caller);
        if (form->next == NULL || is_nothrow(form))
            return true;
        new_failure_happen(size, alignment);
    }
}

/* The forms of new: arguments of each, and how it asks for memory. */
#define DEFINE_NEW(symbol, parameters, arguments, allocate, size, alignment) \
    static struct form form_##symbol = { #symbol, NULL };                    \
    EXPORT void *symbol parameters;                                          \
    void *symbol parameters                                                  \
    {                                                                        \
        void *(*next)parameters;                                             \
        void *block;                                                         \
                                                                             \
        if (LIKELY(owner == OWNER_LIBRARY && mode_records())) {              \
            block = allocate(alignment, size);                               \
            if (LIKELY(block != NULL))                                       \
                return record_alloc(block, size, CALLER);                    \
        } else if (owner == OWNER_LIBRARY) {                                 \
            block = lean_new(allocate, alignment, size);                     \
            if (LIKELY(block != NULL))                                       \
                return block;                                                \
        }                                                                    \
        if (new_slow(&form_##symbol, allocate, alignment, size, CALLER,      \
                     &block))                                                \
            return block;                                                    \
        memcpy(&next, &form_##symbol.next, sizeof next);                     \
        if (__builtin_strstr(#symbol, "nothrow") == NULL)                    \
            return next arguments;                                           \
        block = next arguments;                                              \
        new_failure_leave();                                                 \
        return block;                                                        \
    }

DEFINE_NEW(_Znwm, (size_t size), (size), plain, size, 0)
DEFINE_NEW(_Znam, (size_t size), (size), plain, size, 0)
DEFINE_NEW(_ZnwmRKSt9nothrow_t, (size_t size, const void *nothrow),
           (size, nothrow), plain, size, 0)
DEFINE_NEW(_ZnamRKSt9nothrow_t, (size_t size, const void *nothrow),
           (size, nothrow), plain, size, 0)
DEFINE_NEW(_ZnwmSt11align_val_t, (size_t size, size_t alignment),
           (size, alignment), aligned, size, alignment)
DEFINE_NEW(_ZnamSt11align_val_t, (size_t size, size_t alignment),
           (size, alignment), aligned, size, alignment)
DEFINE_NEW(_ZnwmSt11align_val_tRKSt9nothrow_t,
           (size_t size, size_t alignment, const void *nothrow),
           (size, alignment, nothrow), aligned, size, alignment)
DEFINE_NEW(_ZnamSt11align_val_tRKSt9nothrow_t,
           (size_t size, size_t alignment, const void *nothrow),
           (size, alignment, nothrow), aligned, size, alignment)

#define DEFINE_DELETE(symbol, parameters, arguments)         \
    static struct form form_##symbol = { #symbol, NULL };    \
    EXPORT void symbol parameters;                           \
    void symbol parameters                                   \
    {                                                        \
        void(*next) parameters;                              \
                                                             \
        if (UNLIKELY(!is_ours(&form_##symbol))) {            \
            memcpy(&next, &form_##symbol.next, sizeof next); \
            next arguments;                                  \
        } else {                                             \
            release(block);                                  \
        }                                                    \
    }

DEFINE_DELETE(_ZdlPv, (void *block), (block))
DEFINE_DELETE(_ZdaPv, (void *block), (block))
DEFINE_DELETE(_ZdlPvm, (void *block, size_t size), (block, size))
DEFINE_DELETE(_ZdaPvm, (void *block, size_t size), (block, size))
DEFINE_DELETE(_ZdlPvRKSt9nothrow_t, (void *block, const void *nothrow),
              (block, nothrow))
DEFINE_DELETE(_ZdaPvRKSt9nothrow_t, (void *block, const void *nothrow),
              (block, nothrow))
DEFINE_DELETE(_ZdlPvSt11align_val_t, (void *block, size_t alignment),
              (block, alignment))
DEFINE_DELETE(_ZdaPvSt11align_val_t, (void *block, size_t alignment),
              (block, alignment))
DEFINE_DELETE(_ZdlPvmSt11align_val_t,
              (void *block, size_t size, size_t alignment),
              (block, size, alignment))
DEFINE_DELETE(_ZdaPvmSt11align_val_t,
              (void *block, size_t size, size_t alignment),
              (block, size, alignment))
DEFINE_DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t,
              (void *block, size_t alignment, const void *nothrow),
              (block, alignment, nothrow))
DEFINE_DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t,
              (void *block, size_t alignment, const void *nothrow),
              (block, alignment, nothrow))

/*
 * A program that replaces one form replaces all that lead to it: the library's
 * array, sized and nothrow forms call the plain ones. So all forms are ours, or
 * none, and these are asked, in front of us and behind us.
 */
static const struct form *const base_forms[] = {
    &form__Znwm,
    &form__Znam,
    &form__ZdlPv,
    &form__ZdaPv,
    &form__ZnwmSt11align_val_t,
    &form__ZnamSt11align_val_t,
    &form__ZdlPvSt11align_val_t,
    &form__ZdaPvSt11align_val_t,
};

static bool is_untouched(const struct form *form)
{
    const void *first = loaded_symbols_find(form->name);
    void *allocator;

    memcpy(&allocator, &real.malloc, sizeof allocator);
    return (first == NULL || modules_are_same(first, &owner)) &&
           (form->next == NULL || is_library(modules_path_of(form->next)) ||
            modules_are_same(form->next, allocator));
}

static enum owner find_owner(void)
{
    for (size_t i = 0; i < sizeof base_forms / sizeof base_forms[0]; i++) {
        if (!is_untouched(base_forms[i]))
            return OWNER_SOMEBODY;
    }
    return OWNER_LIBRARY;
}

#define NEXT(symbol)                 \
    {                                \
#symbol, &form_##symbol.next \
    }

void new_delete_find(void)
{
    static const struct loaded_symbol next[] = {
        NEXT(_Znwm),
        NEXT(_Znam),
        NEXT(_ZnwmRKSt9nothrow_t),
        NEXT(_ZnamRKSt9nothrow_t),
        NEXT(_ZnwmSt11align_val_t),
        NEXT(_ZnamSt11align_val_t),
        NEXT(_ZnwmSt11align_val_tRKSt9nothrow_t),
        NEXT(_ZnamSt11align_val_tRKSt9nothrow_t),
        NEXT(_ZdlPv),
        NEXT(_ZdaPv),
        NEXT(_ZdlPvm),
        NEXT(_ZdaPvm),
        NEXT(_ZdlPvRKSt9nothrow_t),
        NEXT(_ZdaPvRKSt9nothrow_t),
        NEXT(_ZdlPvSt11align_val_t),
        NEXT(_ZdaPvSt11align_val_t),
        NEXT(_ZdlPvmSt11align_val_t),
        NEXT(_ZdaPvmSt11align_val_t),
        NEXT(_ZdlPvSt11align_val_tRKSt9nothrow_t),
        NEXT(_ZdaPvSt11align_val_tRKSt9nothrow_t),
    };

    loaded_symbols_find_all(next, sizeof next / sizeof next[0], &owner);
    has_library = form__Znwm.next != NULL;
    if (has_library)
        new_failure_find(is_library);
    owner = find_owner();
}
