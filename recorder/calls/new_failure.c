/* SPDX-License-Identifier: Apache-2.0 */
/*
 * new_failure.c - see new_failure.h
 *
 * A thread that is inside the library's nothrow new is in a small table: that
 * is too rare for a word in each thread. Only when the table is full, the
 * library counts as the caller.
 */
#define _GNU_SOURCE
#include "recorder/calls/new_failure.h"

#include <stdint.h>
#include <string.h>

#include "ledger/space/modules.h"
#include "ports/posix/loaded_symbols.h"
#include "ports/posix/raw_calls.h"

enum { INSIDE_LIMIT = 16 };

typedef void handler_fn(void);

/* NULL: no C++ library, or not one that we know. */
static handler_fn *(*get_handler)(void);
static void (*throw_bad_alloc)(void);

static struct {
    uint32_t thread; /* 0: free */
    uintptr_t caller;
} inside[INSIDE_LIMIT];
static uint32_t inside_count;

void new_failure_find(bool (*is_library)(const char *path))
{
    void *getter = loaded_symbols_among("_ZSt15get_new_handlerv", is_library);
    void *thrower =
        loaded_symbols_among("_ZSt17__throw_bad_allocv", is_library);

    memcpy(&get_handler, &getter, sizeof getter);
    memcpy(&throw_bad_alloc, &thrower, sizeof thrower);
}

bool new_failure_is_ours(bool is_nothrow)
{
    if (get_handler == NULL || throw_bad_alloc == NULL)
        return false;
    return !is_nothrow || get_handler() == NULL;
}

/* A size that overflows when rounded up fails without asking a handler. */
void new_failure_happen(size_t size, size_t alignment)
{
    bool is_beyond_all = alignment != 0 && size > SIZE_MAX - alignment + 1;
    handler_fn *handler = get_handler();

    if (handler == NULL || is_beyond_all)
        throw_bad_alloc();
    else
        handler();
}

void new_failure_enter(uintptr_t caller)
{
    uint32_t self = (uint32_t)raw_gettid();

    for (unsigned i = 0; i < INSIDE_LIMIT; i++) {
        uint32_t expected = 0;

        if (!__atomic_compare_exchange_n(&inside[i].thread, &expected, self,
                                         false, __ATOMIC_RELAXED,
                                         __ATOMIC_RELAXED))
            continue;
        inside[i].caller = caller;
        __atomic_fetch_add(&inside_count, 1, __ATOMIC_RELAXED);
        return;
    }
}

static int find_self(void)
{
    uint32_t self;

    if (__atomic_load_n(&inside_count, __ATOMIC_RELAXED) == 0)
        return -1;
    self = (uint32_t)raw_gettid();
    for (int i = INSIDE_LIMIT - 1; i >= 0; i--) {
        if (__atomic_load_n(&inside[i].thread, __ATOMIC_RELAXED) == self)
            return i;
    }
    return -1;
}

void new_failure_leave(void)
{
    int found = find_self();

    if (found < 0)
        return;
    __atomic_fetch_sub(&inside_count, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&inside[found].thread, 0, __ATOMIC_RELAXED);
}

/* What the handler itself asks for is its own. */
uintptr_t new_failure_caller(uintptr_t caller)
{
    int found = find_self();
    void *in_library;

    memcpy(&in_library, &throw_bad_alloc, sizeof in_library);
    return found >= 0 && in_library != NULL &&
                   modules_are_same((const void *)caller, in_library)
               ? inside[found].caller
               : caller;
}
