/* SPDX-License-Identifier: Apache-2.0 */
/* stacks.c - the calls that led to an allocation, down to the last one */
#include <pthread.h>
#include <stdlib.h>

#include "tests/memprof/tracker.h"

enum { FUNCTION_BYTES = 512, DEEP = 300, DEEPER = 10000, MOST = 8192 };

static uintptr_t frames[MOST];
static volatile size_t count;
static void *volatile sink;

static void *keep_stack(const struct memprof_allocation *allocation,
                        void *context)
{
    (void)context;
    count = allocation->callstack_size;
    memcpy(frames, allocation->callstack, count * sizeof frames[0]);
    return NULL;
}

static const struct memprof_tracker keeping = { keep_stack, keep_stack, NULL,
                                                NULL,       NULL,       NULL };

static bool is_in(uintptr_t frame, void *(*function)(int))
{
    return frame - (uintptr_t)function < FUNCTION_BYTES;
}

static void *leaf(int form)
{
    void *block = NULL;

    switch (form) {
    case 0:
        block = malloc(10);
        break;
    case 1:
        block = calloc(10, 10);
        break;
    case 2:
        block = realloc(malloc(10), 5000);
        break;
    case 3:
        CHECK_IS(posix_memalign(&block, 64, 10), 0);
        break;
    case 4:
        block = aligned_alloc(64, 64);
        break;
    default:
        memprof_custom_free(memprof_custom_alloc(10));
    }
    sink = block;
    return block;
}

static void *middle(int form)
{
    void *block = leaf(form);

    sink = block;
    return block;
}

static void *upper(int form)
{
    void *block = middle(form);

    sink = block;
    return block;
}

static void check_each_form(void)
{
    for (int form = 0; form < 6; form++) {
        free(upper(form));
        CHECK(count >= 4);
        CHECK(is_in(frames[0], leaf));
        CHECK(is_in(frames[1], middle));
        CHECK(is_in(frames[2], upper));
    }
}

static void *deep(int depth)
{
    void *block = depth == 1 ? malloc(8) : deep(depth - 1);

    sink = block;
    return block;
}

/* All calls but the first return to the same place. */
static void expect_depth(unsigned depth)
{
    unsigned same = 1;

    CHECK(is_in(frames[0], deep));
    while (same < count && frames[same] == frames[1])
        same++;
    CHECK_IS(same, depth);
}

static void check_deep(void)
{
    for (int again = 0; again < 3; again++)
        free(deep(DEEP));
    expect_depth(DEEP);
    free(deep(DEEP - 1));
    expect_depth(DEEP - 1);
}

static void check_sizes(void)
{
    static const int sizes[] = { 0, 1, 2, 5, INT_MAX };
    struct memprof *profile;

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        CHECK_IS(memprof_start(1, sizes[i], &keeping, &profile), 0);
        free(deep(20));
        if (sizes[i] < 20)
            CHECK_IS(count, sizes[i]);
        else
            CHECK(count > 20);
        if (sizes[i] > 0)
            CHECK(is_in(frames[0], deep));
        end(profile);
    }
}

/* The stack is that of the allocation, even if it is reported later. */
static void check_waiting(void)
{
    void *block;

    memprof_marshal_begin();
    block = upper(0);
    count = 0;
    memprof_marshal_end();
    CHECK(count >= 4 && is_in(frames[0], leaf) && is_in(frames[2], upper));
    free(block);
}

/* The innermost calls are kept of a stack deeper than the limit. */
static void check_deeper(void)
{
    free(deep(DEEPER));
    CHECK_IS(count, MOST);
    expect_depth(MOST);
}

static void *in_thread(void *unused)
{
    (void)unused;
    check_each_form();
    check_deep();
    return NULL;
}

int main(void)
{
    struct memprof *profile;
    pthread_t thread;

    setvbuf(stderr, NULL, _IONBF, 0);
    CHECK_IS(memprof_start(1, INT_MAX, &keeping, &profile), 0);
    check_each_form();
    check_deep();
    check_deeper();
    check_waiting();
    pthread_create(&thread, NULL, in_thread, NULL);
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, in_thread, NULL);
    pthread_join(thread, NULL);
    end(profile);
    check_sizes();
    return end_of_test();
}
