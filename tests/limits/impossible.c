/* SPDX-License-Identifier: Apache-2.0 */
/* impossible.c - requests that no allocator can fulfil hit scopes alike */
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>

#include "tally/limits.h"
#include "tests/limits/expect.h"

static volatile size_t huge = (size_t)1 << 62, most = SIZE_MAX;

static void *by_malloc(void)
{
    return malloc(most);
}

static void *by_calloc(void)
{
    return calloc(huge, 8); /* the product wraps to 0 */
}

static void *by_calloc_of_pairs(void)
{
    return calloc(huge, 16); /* as the loader calls it */
}

static void *by_realloc(void)
{
    return realloc(NULL, most);
}

static void *by_reallocarray(void)
{
    return reallocarray(NULL, huge, 8);
}

static void *by_valloc(void)
{
    return valloc(most);
}

static void *by_pvalloc(void)
{
    return pvalloc(most); /* tcmalloc's whole pages wrap to 0 */
}

static void *by_memalign(void)
{
    return memalign(64, most);
}

static const struct form {
    const char *name;
    void *(*call)(void);
} forms[] = {
    { "malloc", by_malloc },
    { "calloc", by_calloc },
    { "calloc of pairs", by_calloc_of_pairs },
    { "realloc", by_realloc },
    { "reallocarray", by_reallocarray },
    { "valloc", by_valloc },
    { "pvalloc", by_pvalloc },
    { "memalign", by_memalign },
};

static __attribute__((noinline)) void hits(const struct form *form)
{
    struct limit_scope scope;
    uint64_t bytes;
    void *block;

    limits_begin_allocation(&scope, 100000, LIMIT_ENOMEM);
    errno = 0;
    block = form->call();
    expect(form->name, "fails", block == NULL);
    expect(form->name, "with ENOMEM", errno == ENOMEM);
    expect(form->name, "interrupts", limits_interrupted() == 1);
    expect(form->name, "hits", limits_end(&scope, &bytes) == 1);
    expect(form->name, "is not charged", bytes == 0);
    free(block);
}

/* Without LIMIT_ENOMEM the allocator's own result counts. */
static void is_the_allocators(const struct form *form)
{
    struct limit_scope scope;
    uint64_t bytes;
    void *block;
    int hit;

    limits_begin_allocation(&scope, 100000, LIMIT_FLAG);
    block = form->call();
    hit = limits_end(&scope, &bytes);
    expect(form->name, "LIMIT_FLAG does not hit", hit == 0);
    expect(form->name, "its block is charged",
           bytes == malloc_usable_size(block));
    free(block);
}

/* Allocate slowly in this frame, and begin the scope in an inner one. */
static void hits_below(const struct form *form)
{
    struct limit_token token = { 0 };
    struct limit_scope first, second;

    limits_begin_token(&first, &token, LIMIT_FLAG);
    limits_begin_allocation(&second, 10, LIMIT_FLAG);
    free(malloc(10));
    expect("outer frame", "hits", limits_end(&second, NULL) == 1);
    hits(form);
    limits_end(&first, NULL);
}

int main(void)
{
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        hits(&forms[i]);
        is_the_allocators(&forms[i]);
        hits_below(&forms[i]);
    }
    return expect_status();
}
