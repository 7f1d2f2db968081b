/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entry_points.c - every allocating function, at its limit
 *
 * Each is charged exactly its requested bytes; with LIMIT_ENOMEM it fails in
 * its own way, and has no other effect. With an argument a callback of
 * tally/mem_trace.h is set meanwhile.
 */
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tally/limits.h"
#include "tally/mem_trace.h"
#include "tests/limits/expect.h"
#include "tests/limits/held.h"

enum { SIZE = 400 };

static void *old; /* argument of realloc */

static void *by_malloc(void)
{
    return malloc(SIZE);
}

static void *by_calloc(void)
{
    return calloc(4, SIZE / 4);
}

static void *by_realloc(void)
{
    return realloc(old, SIZE);
}

static void *by_realloc_of_nothing(void)
{
    return realloc(NULL, SIZE);
}

static void *by_reallocarray(void)
{
    return reallocarray(old, 4, SIZE / 4);
}

static void *by_posix_memalign(void)
{
    void *block = NULL;
    int before = errno;
    int error = posix_memalign(&block, 64, SIZE);

    expect("posix_memalign", "errno is as it was", errno == before);
    errno = error;
    return block;
}

static void *by_aligned_alloc(void)
{
    return aligned_alloc(16, SIZE);
}

static void *by_memalign(void)
{
    return memalign(256, SIZE);
}

static void *by_valloc(void)
{
    return valloc(SIZE);
}

#ifndef PVALLOC_IS_TAGGED
static void *by_pvalloc(void)
{
    return pvalloc(SIZE);
}
#endif

static void *by_strdup(void)
{
    static char text[SIZE];

    memset(text, 'x', SIZE - 1);
    return strdup(text);
}

static const struct form {
    const char *name;
    void *(*call)(void);
    bool resizes;
} forms[] = {
    { "malloc", by_malloc, false },
    { "calloc", by_calloc, false },
    { "realloc", by_realloc, true },
    { "realloc of NULL", by_realloc_of_nothing, false },
    { "reallocarray", by_reallocarray, true },
    { "posix_memalign", by_posix_memalign, false },
    { "aligned_alloc", by_aligned_alloc, false },
    { "memalign", by_memalign, false },
    { "valloc", by_valloc, false },
#ifndef PVALLOC_IS_TAGGED /* pvalloc requests whole pages */
    { "pvalloc", by_pvalloc, false },
#endif
    { "strdup", by_strdup, false },
};

/* Return the result of limits_end(); *bytes are those charged. */
static int call_within(const struct form *form, uint64_t limit,
                       enum limit_action action, void **block, uint64_t *bytes)
{
    struct limit_scope scope;

    if (form->resizes) {
        old = malloc(30);
        memset(old, 0x5a, 30);
    }
    limits_begin_allocation(&scope, limit, action);
    errno = 0;
    *block = form->call();
    return limits_end(&scope, bytes);
}

static void give_back(const struct form *form, void *block)
{
    if (form->resizes && block == NULL)
        free(old);
    free(block);
}

static void is_charged_what_was_asked_for(const struct form *form)
{
    uint64_t bytes;
    void *block;
    int hit = call_within(form, 100000, LIMIT_ENOMEM, &block, &bytes);

    expect(form->name, "it is charged exactly", bytes == SIZE);
    expect(form->name, "and has not hit", hit == 0 && block != NULL);
    give_back(form, block);
}

static void passes_below_the_limit(const struct form *form)
{
    uint64_t bytes;
    void *block;
    int hit = call_within(form, SIZE + 1, LIMIT_ENOMEM, &block, &bytes);

    expect(form->name, "one byte below the limit it passes",
           hit == 0 && block != NULL && bytes == SIZE);
    give_back(form, block);
}

static bool is_untouched(void)
{
    const unsigned char *bytes = old;

    for (int i = 0; i < 30; i++) {
        if (bytes[i] != 0x5a)
            return false;
    }
    return true;
}

static bool is_traced;
static unsigned failures_told;

static void note_failure(uint8_t op, void *res, void *caller, ...)
{
    (void)caller;
    if (op == MBED_MEM_TRACE_FREE || res != NULL)
        return;
    failures_told++;
#ifndef PVALLOC_IS_TAGGED
    errno = ENOENT; /* the recorder keeps the allocator's errno */
#endif
}

static void fails_at_the_limit(const struct form *form)
{
    unsigned before = failures_told;
    uint64_t bytes;
    void *block;
    int hit = call_within(form, SIZE, LIMIT_ENOMEM, &block, &bytes);

    expect(form->name, "who is told of calls is told of a failure",
           failures_told == before + is_traced);

    expect(form->name, "what reaches the limit fails", block == NULL);
    expect(form->name, "with ENOMEM", errno == ENOMEM);
    expect(form->name, "and has hit", hit == 1);
    expect(form->name, "charged to no scope", bytes == 0);
    if (form->resizes)
        expect(form->name, "the block is as it was", is_untouched());
    give_back(form, block);
}

static void is_flagged_at_the_limit(const struct form *form)
{
    uint64_t bytes;
    void *block;
    int hit = call_within(form, SIZE, LIMIT_FLAG, &block, &bytes);

    expect(form->name, "LIMIT_FLAG lets it pass", block != NULL);
    expect(form->name, "hit and charged", hit == 1 && bytes == SIZE);
    give_back(form, block);
}

static void fails_until_the_scope_ends(const struct form *form)
{
    struct limit_token token = { 1 };
    struct limit_scope scope;
    void *block;

    if (form->resizes)
        old = malloc(30);
    limits_begin_token(&scope, &token, LIMIT_ENOMEM);
    expect(form->name, "a token makes it fail", form->call() == NULL);
    limits_mask_begin();
    block = form->call();
    expect(form->name, "but not in a masked section", block != NULL);
    if (form->resizes)
        old = block;
    limits_mask_end();
    expect(form->name, "and again behind it", form->call() == NULL);
    free(block);
    limits_end(&scope, NULL);
}

/* Check the limit of the process, until the block is freed. */
static void is_held_until_it_is_freed(const struct form *form, bool is_due)
{
    int64_t before = held(), with;
    int64_t usable;
    void *block;

    old = form->resizes ? malloc(30) : NULL;
    if (is_due)
        limits_set_global(-1); /* the next call checks if that matters */
    block = form->call();
    usable = (int64_t)malloc_usable_size(block);
    with = held();
    free(block);
    expect(form->name, "what it takes is held", with == before + usable);
    expect(form->name, "until it is freed", held() == before);
}

static void what_cannot_be_is_charged_to_nobody(void)
{
    struct limit_scope scope;
    void *volatile block;
    volatile size_t huge = SIZE_MAX / 2;
    uint64_t bytes;

    limits_begin_allocation(&scope, 100, LIMIT_FLAG);
    block = malloc(huge);
    expect("malloc", "there is not so much", block == NULL && errno == ENOMEM);
    errno = 0;
    block = reallocarray(NULL, huge, 16);
    expect("reallocarray", "nor that", block == NULL && errno == ENOMEM);
    expect("posix_memalign", "its error is the allocator's",
           posix_memalign((void **)&block, 3, SIZE) == EINVAL);
    expect("malloc", "what fails by itself does not hit",
           limits_interrupted() == 0);
    expect("malloc", "nor is it charged",
           limits_end(&scope, &bytes) == 0 && bytes == 0);
}

/* Free in a thread that has used up everything. */
static void free_always_works(void)
{
    struct limit_token token = { 1 };
    struct limit_scope scope;
    void *volatile one = malloc(2000), *volatile two = malloc(3000);
    size_t before = mallinfo2().uordblks;
    volatile size_t nothing = 0;

    limits_begin_token(&scope, &token, LIMIT_ENOMEM);
    free(one);
    expect("realloc", "to nothing is free", realloc(two, nothing) == NULL);
    limits_end(&scope, NULL);
    expect("free", "both are given back",
           mallinfo2().uordblks + 5000 <= before);
}

int main(int argc, char **argv)
{
    (void)argv;
    is_traced = argc > 1;
    if (is_traced)
        mbed_mem_trace_set_callback(note_failure);
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        is_charged_what_was_asked_for(&forms[i]);
        passes_below_the_limit(&forms[i]);
        fails_at_the_limit(&forms[i]);
        is_flagged_at_the_limit(&forms[i]);
        fails_until_the_scope_ends(&forms[i]);
    }
    what_cannot_be_is_charged_to_nobody();
    free_always_works();
    held(); /* count from now on */
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        is_held_until_it_is_freed(&forms[i], i % 2 != 0);
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        is_held_until_it_is_freed(&forms[i], i % 2 == 0);
    mbed_mem_trace_set_callback(NULL);
    return expect_status();
}
