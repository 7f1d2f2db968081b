/* SPDX-License-Identifier: Apache-2.0 */
/* test_countdown.c - calls of clients, in one thread and in several */
#include "sampling/countdown/countdown.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/fakes/fake_port.h"
#include "tests/fakes/run_alone.h"

/* A client called every `every` amounts or bytes, with a log. */
struct asked {
    uint64_t every, due; /* amounts */
    unsigned follows, counts, fails, leaves;
    uint64_t position; /* position of its last call */
    uint64_t allocated;
    size_t size;
    bool refuses, rejects;
};

static struct asked words, bytes;

static void follow_words(struct counted_thread *thread)
{
    words.follows++;
    words.due = countdown_position(thread) + words.every;
}

static uint64_t distance_of_words(struct counted_thread *thread)
{
    return words.due - countdown_position(thread);
}

static bool allows_words(struct counted_thread *thread, size_t size,
                         size_t before)
{
    (void)thread;
    (void)size;
    (void)before;
    return !words.refuses;
}

static bool count_words(struct counted_thread *thread,
                        const struct counted_block *counted)
{
    words.counts++;
    words.position = countdown_position(thread);
    words.allocated = thread->allocated;
    words.size = counted->size;
    while (words.due <= words.position)
        words.due += words.every;
    return !words.rejects;
}

static void fail_words(struct counted_thread *thread, size_t size)
{
    (void)thread;
    words.fails++;
    words.size = size;
}

static void leave_words(struct counted_thread *thread)
{
    (void)thread;
    words.leaves++;
}

static const struct countdown_client words_client = {
    .counts = COUNTDOWN_BOTH,
    .follow = follow_words,
    .distance = distance_of_words,
    .allows = allows_words,
    .count = count_words,
    .fail = fail_words,
    .leave = leave_words,
};

/* A client that counts bytes, whatever the amounts. */
static void follow_bytes(struct counted_thread *thread)
{
    bytes.follows++;
    bytes.due = thread->allocated + bytes.every;
}

static uint64_t distance_of_bytes(struct counted_thread *thread)
{
    return bytes.due - thread->allocated;
}

static bool count_bytes(struct counted_thread *thread,
                        const struct counted_block *counted)
{
    (void)counted;
    bytes.counts++;
    while (bytes.due <= thread->allocated) {
        bytes.position = thread->allocated;
        bytes.due += bytes.every;
    }
    return true;
}

static const struct countdown_client bytes_client = {
    .counts = COUNTDOWN_ALLOCATED,
    .follow = follow_bytes,
    .distance = distance_of_bytes,
    .count = count_bytes,
};

static void turn(enum countdown_client_number number,
                 const struct countdown_client *client)
{
    countdown_lock();
    countdown_set_client(number, client);
    countdown_unlock();
}

/* Do what an entry point does; return true if it took the slow path. */
static bool allocate(size_t size)
{
    struct counted_thread *thread = countdown_thread_if_any();
    const struct counted_block counted = { .block = NULL, .size = size };

    if (thread != NULL &&
        thread->generation == countdown_carrier.words->generation &&
        countdown_pass(thread, size))
        return false;
    thread = countdown_thread();
    if (thread != NULL && countdown_allows(thread, size, 0))
        countdown_count(thread, &counted);
    return true;
}

static void test_nobody_counts_at_first(void **state)
{
    (void)state;
    assert_false(countdown_is_on());
    assert_null(countdown_thread());
    assert_null(countdown_thread_if_any());
}

static void test_words_have_headers(void **state)
{
    (void)state;
    words.every = 800; /* 100 words */
    turn(COUNTDOWN_MEMPROF, &words_client);
    assert_true(countdown_is_on());
    assert_true(allocate(0)); /* adopts the generation */
    assert_int_equal(words.position, 8);
    assert_int_equal(words.follows, 1);
    assert_false(allocate(1));
    assert_false(allocate(8));
    assert_false(allocate(9));
    assert_false(allocate(720)); /* 8 + 16 + 16 + 24 + 728 = 792 */
    assert_true(allocate(0));    /* the hundredth */
    assert_int_equal(words.position, 800);
    assert_int_equal(words.allocated, 738);
    assert_int_equal(words.size, 0);
    assert_int_equal(words.follows, 1);
}

static void test_bytes_alone_are_bytes(void **state)
{
    (void)state;
    bytes.every = 100;
    turn(COUNTDOWN_SAMPLES, &bytes_client);
    assert_true(allocate(0));
    for (int i = 0; i < 99; i++)
        assert_false(allocate(1));
    assert_false(allocate(0));
    assert_true(allocate(1));
    assert_int_equal(bytes.position, 100);
    assert_int_equal(bytes.counts, 2);
}

/* The client is called too early repeatedly, but never too late. */
static void test_bytes_among_words_are_exact(void **state)
{
    (void)state;
    words.every = COUNTDOWN_NEVER / 4;
    bytes.every = 1000;
    turn(COUNTDOWN_MEMPROF, &words_client);
    turn(COUNTDOWN_SAMPLES, &bytes_client);
    for (int i = 0; i < 1000; i++) {
        bool is_there = countdown_thread_if_any() != NULL;

        allocate(1);
        assert_true(bytes.position == 0 || is_there);
        assert_int_equal(bytes.position, i < 999 ? 0 : 1000);
    }
    assert_in_range(bytes.counts, 10, 120);
}

static void test_what_fails_has_been_a_trial(void **state)
{
    struct counted_thread *thread;

    (void)state;
    words.every = 800;
    turn(COUNTDOWN_MEMPROF, &words_client);
    allocate(0);
    thread = countdown_thread();
    assert_true(countdown_pass(thread, 700));
    countdown_unbill(thread, 700);
    assert_int_equal(countdown_allocated(thread), 0);
    assert_int_equal(countdown_position(thread), 8 + 712);
    /* More than there is. */
    assert_false(countdown_pass(thread, SIZE_MAX / 2));
    assert_int_equal(countdown_position(thread), 8 + 712);
    countdown_fail(thread, SIZE_MAX / 2);
    assert_int_equal(words.fails, 1);
    assert_int_equal(words.size, SIZE_MAX / 2);
    assert_int_equal(countdown_position(thread), 8 + 712);
    assert_int_equal(countdown_allocated(thread), 0);
}

static void test_a_client_may_refuse_and_reject(void **state)
{
    struct counted_thread *thread;
    const struct counted_block counted = { .block = NULL, .size = 24 };

    (void)state;
    words.every = 8;
    turn(COUNTDOWN_LIMITS, &words_client);
    allocate(0);
    thread = countdown_thread();
    words.refuses = true;
    assert_false(countdown_allows(thread, 24, 0));
    words.refuses = false;
    assert_true(countdown_allows(thread, 24, 0));
    assert_true(countdown_count(thread, &counted));
    words.rejects = true;
    assert_false(countdown_count(thread, &counted));
}

static void test_nothing_counts_while_a_client_is_asked(void **state)
{
    struct counted_thread *thread;
    uint64_t position;

    (void)state;
    words.every = 8;
    turn(COUNTDOWN_MEMPROF, &words_client);
    allocate(0);
    thread = countdown_thread();
    position = countdown_position(thread);
    assert_true(countdown_enter(thread));
    assert_false(countdown_enter(thread));
    assert_null(countdown_thread());
    assert_ptr_equal(countdown_thread_if_any(), thread);
    for (int i = 0; i < 1000; i++)
        assert_false(allocate(1000));
    countdown_leave(thread);
    assert_int_equal(countdown_position(thread), position);
    assert_int_equal(thread->allocated, 0);
    assert_int_equal(words.counts, 1);
    assert_true(allocate(0));
}

/* The next block asks for distances, and no client is called too late. */
static void test_a_thread_is_armed_when_it_allocates(void **state)
{
    struct counted_thread *thread;
    uint32_t generation;

    (void)state;
    words.every = 100;
    turn(COUNTDOWN_MEMPROF, &words_client);
    allocate(0);
    allocate(0);
    thread = countdown_thread();
    generation = countdown_carrier.words->generation;
    assert_true(countdown_enter(thread));
    words.due = countdown_position(thread) + 40;
    countdown_leave_unarmed(thread);
    assert_false(countdown_is_in(thread, generation));
    assert_int_equal(countdown_since(thread), 0);
    countdown_arm(thread, generation);
    assert_true(countdown_is_in(thread, generation));
    assert_true(countdown_pass(thread, 24));
    assert_false(countdown_pass(thread, 1));
    countdown_enter(thread);
    countdown_leave_unarmed(thread);
    countdown_recall(thread); /* a client must be called, not asked */
    countdown_arm(thread, generation);
    assert_false(countdown_is_in(thread, generation));
}

static void test_a_change_is_followed(void **state)
{
    (void)state;
    words.every = 1 << 20;
    turn(COUNTDOWN_MEMPROF, &words_client);
    allocate(0);
    assert_false(allocate(0));
    countdown_lock();
    countdown_change();
    countdown_unlock();
    assert_true(allocate(0));
    assert_int_equal(words.follows, 2);
    turn(COUNTDOWN_MEMPROF, NULL);
    assert_false(countdown_is_on());
    assert_null(countdown_thread());
}

static void *run_thread(void *numbers)
{
    uint32_t *number = numbers;

    assert_true(allocate(0));
    *number = countdown_thread()->number;
    assert_int_equal(countdown_position(countdown_thread()), 8);
    return NULL;
}

static void test_threads_end_and_are_used_again(void **state)
{
    uint32_t numbers[3];
    pthread_t thread;
    unsigned count = 0;

    (void)state;
    words.every = 1 << 20;
    turn(COUNTDOWN_MEMPROF, &words_client);
    allocate(0);
    for (int i = 0; i < 3; i++) {
        pthread_create(&thread, NULL, run_thread, &numbers[i]);
        pthread_join(thread, NULL);
    }
    assert_int_equal(words.leaves, 3);
    assert_int_equal(numbers[0], 2);
    assert_int_equal(numbers[2], 4);
    for (struct counted_thread *one = countdown_threads(); one != NULL;
         one = one->next)
        count++;
    assert_int_equal(count, 2);
}

/* A fork has zeroed the words. */
static void test_a_new_process_begins_with_nothing(void **state)
{
    uint32_t process;

    (void)state;
    words.every = 800;
    turn(COUNTDOWN_MEMPROF, &words_client);
    allocate(500);
    process = countdown_lock();
    countdown_unlock();
    *countdown_carrier.words = (struct countdown_words){ 0 };
    assert_null(countdown_thread());
    assert_int_equal(countdown_lock(), process + 1);
    countdown_unlock();
    assert_null(countdown_threads());
    turn(COUNTDOWN_MEMPROF, &words_client);
    allocate(0);
    assert_int_equal(words.position, 8);
    assert_int_equal(words.allocated, 0);
}

static void test_no_memory_for_a_thread(void **state)
{
    (void)state;
    words.every = 8;
    turn(COUNTDOWN_MEMPROF, &words_client);
    fake_port_fail_at(1);
    assert_null(countdown_thread());
    assert_non_null(countdown_thread());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nobody_counts_at_first),
        cmocka_unit_test(test_words_have_headers),
        cmocka_unit_test(test_bytes_alone_are_bytes),
        cmocka_unit_test(test_bytes_among_words_are_exact),
        cmocka_unit_test(test_what_fails_has_been_a_trial),
        cmocka_unit_test(test_a_client_may_refuse_and_reject),
        cmocka_unit_test(test_nothing_counts_while_a_client_is_asked),
        cmocka_unit_test(test_a_thread_is_armed_when_it_allocates),
        cmocka_unit_test(test_a_change_is_followed),
        cmocka_unit_test(test_threads_end_and_are_used_again),
        cmocka_unit_test(test_a_new_process_begins_with_nothing),
        cmocka_unit_test(test_no_memory_for_a_thread),
    };

    return run_all_alone(tests, sizeof tests / sizeof tests[0]);
}
