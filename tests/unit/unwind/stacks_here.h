/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stacks_here.h - unwind the stack of the test itself, by Tally and by
 * libunwind
 *
 * For one test program: it defines what it declares.
 */
#pragma once

#define UNW_LOCAL_ONLY

#include <libunwind.h>
#include <stdlib.h>

#include "ports/posix/loaded_files.h"
#include "ports/posix/memory/pages.h"
#include "tests/fakes/fake_port.h"
#include "unwind/unwind.h"

enum { THEIR_FRAMES = 12000 };

/* Save the registers like stacks.c of the recorder; call follow_origin(). */
void follow_here(void);
void follow_origin(const struct unwind_origin *origin) __attribute__((used));

static struct unwind_rules rules;
static struct unwinder *unwinder;

static void *theirs[THEIR_FRAMES];
static int their_count;

ORIGIN_HERE(follow_here, follow_origin, rdi);

void pages_unlock(void *pages, size_t size)
{
    (void)pages;
    (void)size;
}

/* Function called at each origin; initially it unwinds the stack both ways. */
static void (*at_origin)(const struct unwind_origin *origin);

/* A signal frame, recognized by its function, or code that begins there. */
static bool has_not_called(unw_cursor_t *cursor, unw_word_t address)
{
    unw_proc_info_t function = { 0 };
    bool has_begun = unw_get_proc_info(cursor, &function) == 0 &&
                     function.start_ip == address;

    return has_begun || unw_is_signal_frame(cursor) > 0;
}

/*
 * Addresses in the form of unwind.h. Not unw_backtrace(), whose per-thread
 * state ThreadSanitizer does not support.
 */
static void follow_by_theirs(void)
{
    bool is_interrupted = false;
    unw_context_t context;
    unw_cursor_t cursor;

    their_count = 0;
    unw_getcontext(&context);
    unw_init_local(&cursor, &context);
    do {
        unw_word_t address = 0;

        unw_get_reg(&cursor, UNW_REG_IP, &address);
        if (address == 0)
            continue;
        address += has_not_called(&cursor, address) || is_interrupted;
        theirs[their_count++] = (void *)address;
        is_interrupted = unw_is_signal_frame(&cursor) > 0;
    } while (their_count < THEIR_FRAMES && unw_step(&cursor) > 0);
}

void follow_origin(const struct unwind_origin *origin)
{
    if (at_origin != NULL) {
        at_origin(origin);
        return;
    }
    unwind_from(unwinder, origin);
    follow_by_theirs();
}

static inline int open_stacks(void **state)
{
    (void)state;
    fake_port_reset();
    loaded_files_open();
    unwinder = calloc(1, sizeof *unwinder);
    unwinder->rules = &rules;
    return unwind_rules_open(&rules);
}

/* theirs[] begins in follow_origin and follow_here. */
static inline int first_of_theirs(void)
{
    for (int i = 0; i < their_count; i++) {
        if ((uintptr_t)theirs[i] == unwinder->frames[0])
            return i;
    }
    return -1;
}

/* Compare frame by frame with libunwind, to the end. */
#define ASSERT_AS_THEIRS()                                            \
    do {                                                              \
        int first = first_of_theirs();                                \
                                                                      \
        assert_int_not_equal(first, -1);                              \
        assert_false(unwinder->is_cut);                               \
        for (int i = first; i < their_count; i++)                     \
            assert_int_equal(unwinder->frames[i - first], theirs[i]); \
        assert_int_equal(unwinder->frame_count, their_count - first); \
    } while (0)
