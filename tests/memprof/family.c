/* SPDX-License-Identifier: Apache-2.0 */
/* family.c - at rate 1 each function of malloc's family gives exact samples */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/memprof/tracker.h"

static const size_t sizes[] = { 0, 1, 7, 8, 9, 16, 100, 2040, 2048 };
static const size_t large[] = { 2049, 2056, 5000, 100000, 5000000 };

enum { SIZES = sizeof sizes / sizeof sizes[0] };
enum { LARGE = sizeof large / sizeof large[0] };

static size_t words(size_t bytes)
{
    return (bytes + 7) / 8;
}

static void expect_last(size_t bytes)
{
    CHECK_IS(last.n_samples, words(bytes) + 1);
    CHECK_IS(last.size, words(bytes));
    CHECK_IS(last.bytes, bytes);
    CHECK_IS(last.source, MEMPROF_NORMAL);
}

static void expect_one(const char *what, void *block, size_t bytes)
{
    bool is_minor = bytes <= 2048;

    CHECK(block != NULL);
    expect_last(bytes);
    expect(what, is_minor, !is_minor, 0, 0, 0);
    free(block);
    expect(what, 0, 0, 0, is_minor, !is_minor);
}

static void *by_memalign(size_t bytes)
{
    void *block = NULL;

    CHECK_IS(posix_memalign(&block, 64, bytes), 0);
    return block;
}

static void check_each(size_t bytes)
{
    expect_one("malloc", malloc(bytes), bytes);
    expect_one("calloc", calloc(1, bytes), bytes);
    expect_one("calloc of several", calloc(bytes, 3), 3 * bytes);
    expect_one("realloc of nothing", realloc(NULL, bytes), bytes);
    expect_one("reallocarray of nothing", reallocarray(NULL, 2, bytes),
               2 * bytes);
    expect_one("posix_memalign", by_memalign(bytes), bytes);
    expect_one("aligned_alloc", aligned_alloc(32, bytes), bytes);
    expect_one("memalign", memalign(4096, bytes), bytes);
#ifndef TALLY_MALLOC_H
    expect_one("valloc", valloc(bytes), bytes);
    expect_one("pvalloc", pvalloc(bytes), bytes);
#endif
}

static void check_resizing(void)
{
    void *block = malloc(100), *moved;

    expect("malloc", 1, 0, 0, 0, 0);
    moved = realloc(block, 90000);
    expect_last(90000);
    expect("realloc", 0, 1, 0, 1, 0);
    moved = reallocarray(moved, 10, 10);
    expect_last(100);
    expect("reallocarray", 1, 0, 0, 0, 1);
    moved = realloc(moved, 104);
    expect_last(104);
    expect("realloc in place", 1, 0, 0, 1, 0);
    CHECK(realloc(moved, 0) == NULL);
    expect("realloc to nothing", 0, 0, 0, 1, 0);
}

/* A failed request is not an allocation. */
static void check_failures(void)
{
    volatile size_t all = SIZE_MAX / 2;
    void *block;

    errno = 0;
    CHECK(malloc(all) == NULL && errno == ENOMEM);
    CHECK(calloc(all, 3) == NULL);
    CHECK(memalign(64, all) == NULL);
    CHECK(posix_memalign(&block, 64, all) == ENOMEM);
    expect("failures", 0, 0, 0, 0, 0);
    block = malloc(9);
    expect("malloc", 1, 0, 0, 0, 0);
    CHECK(realloc(block, all) == NULL);
    CHECK(reallocarray(block, all, 3) == NULL);
    CHECK(reallocarray(block, all, 1) == NULL);
    expect("failed resizing", 0, 0, 0, 0, 0);
    free(block);
    expect("free", 0, 0, 0, 1, 0);
    free(NULL);
    expect("free(NULL)", 0, 0, 0, 0, 0);
}

static void check_errno(void)
{
    errno = 77;
    free(malloc(50));
    free(calloc(5, 10000));
    CHECK_IS(errno, 77);
    forget_all();
}

static void check_rate_0(void)
{
    struct memprof *profile = start_at(0);

    CHECK(memprof_is_sampling() == 1);
    for (int i = 0; i < 100000; i++)
        free(malloc((size_t)i));
    memprof_advance();
    expect("rate 0", 0, 0, 0, 0, 0);
    end(profile);
}

int main(void)
{
    void *before = malloc(10);
    struct memprof *profile;

    setvbuf(stderr, NULL, _IONBF, 0);
    check_rate_0();
    profile = start_at(1);
    free(before); /* not counted */
    for (int i = 0; i < SIZES; i++)
        check_each(sizes[i]);
    for (int i = 0; i < LARGE; i++)
        expect_one("malloc", malloc(large[i]), large[i]);
    check_resizing();
    check_failures();
    check_errno();
    end(profile);
    free(malloc(10));
    expect("afterwards", 0, 0, 0, 0, 0);
    return end_of_test();
}
