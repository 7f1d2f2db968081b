/* SPDX-License-Identifier: Apache-2.0 */
/* test_ring_reader.c - events of rings, as a program writes or damages them */
#include "tool/session/events/events.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum { CALLER = 0x401000, MOST = 32768 };

/* The program's side. */
static int fd;
static struct events_area *area;
/* The reader's side. */
static struct ring_reader reader;
static struct tick_scale scale;
static struct mem_trace_event taken[MOST];
static size_t taken_count;

static int open_area(void **state)
{
    (void)state;
    fd = memfd_create("area", MFD_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)SESSION_EXTENT_SIZE), 0);
    area = mmap(NULL, EVENTS_AREA_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                (off_t)EVENTS_AREA_OFFSET);
    assert_true(area != MAP_FAILED);
    area->ring_count = 3;
    area->clock = EVENTS_CLOCK_NANOSECONDS;
    area->magic = EVENTS_AREA_MAGIC;
    assert_true(ring_reader_open(&reader, fd, 0));
    tick_scale_begin(&scale, EVENTS_CLOCK_NANOSECONDS);
    taken_count = 0;
    return 0;
}

static int close_area(void **state)
{
    (void)state;
    ring_reader_close(&reader);
    munmap(area, EVENTS_AREA_SIZE);
    close(fd);
    return 0;
}

static void put(uint32_t ring, uint64_t time, unsigned kind,
                const uint64_t *words, size_t count)
{
    uint64_t *at = (uint64_t *)(void *)((char *)area + EVENTS_AREA_HEAD +
                                        ring * (size_t)EVENTS_RING_BYTES);
    uint64_t head = area->rings[ring].head;

    at[head++ % EVENTS_RING_WORDS] = time << EVENTS_RING_KIND_BITS | kind;
    for (size_t i = 0; i < count; i++)
        at[head++ % EVENTS_RING_WORDS] = words[i];
    area->rings[ring].last_time = time;
    area->rings[ring].head = head;
}

static void put_free(uint32_t ring, uint64_t time, uint64_t pointer)
{
    const uint64_t words[] = { CALLER, pointer };

    put(ring, time, MEM_TRACE_FREE, words, 2);
}

static void take_event(void *context, const struct mem_trace_event *event)
{
    (void)context;
    assert_true(taken_count < MOST);
    taken[taken_count++] = *event;
}

static uint64_t take(bool is_over)
{
    tick_scale_update(&scale);
    return ring_reader_take(&reader, &scale, is_over, UINT64_MAX, take_event,
                            NULL);
}

static void each_record_is_an_event(void **state)
{
    const uint64_t words[] = { CALLER, 0x1000, 50, 7 };
    const uint64_t thread = 77;

    (void)state;
    put(1, 1, EVENTS_RING_THREAD, &thread, 1);
    put(1, 2, MEM_TRACE_MALLOC, words, 3);
    put(1, 3, MEM_TRACE_REALLOC, words, 4);
    put(1, 4, MEM_TRACE_CALLOC, words, 4);
    put_free(1, 5, 0x2000);
    assert_int_equal(take(false), 4);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(taken[i].op, i);
        assert_true(taken[i].time_ns == i + 2 && taken[i].has_time);
        assert_int_equal(taken[i].thread, 77);
        assert_true(taken[i].caller == CALLER);
        assert_true(taken[i].result == (i < 3 ? 0x1000 : 0));
        assert_true(taken[i].size == (i < 3 ? 50 : 0));
    }
    assert_true(taken[MEM_TRACE_REALLOC].pointer == 7);
    assert_true(taken[MEM_TRACE_CALLOC].count == 7);
    assert_true(taken[MEM_TRACE_FREE].pointer == 0x2000);
    assert_true(area->rings[1].tail == area->rings[1].head);
}

/* For any concurrent activity of others, and any number of events requested. */
static void frames_stay_with_their_allocation(void **state)
{
    uint64_t count = 0;

    (void)state;
    for (uint32_t ring = 0; ring < 3; ring++) {
        const uint64_t block[] = { CALLER, 0x1000 + ring, 50 };

        for (uint64_t left = 5; left > 0; left--)
            put(ring, 7, MEM_TRACE_FRAME, (const uint64_t[]){ ring, left }, 2);
        put(ring, 7, MEM_TRACE_MALLOC, block, 3);
    }
    tick_scale_update(&scale);
    while (count < 3)
        count += ring_reader_take(&reader, &scale, false, 1, take_event, NULL);
    assert_int_equal(taken_count, 18);
    for (uint64_t i = 0; i < 18; i++) {
        uint64_t ring = i / 6, left = 5 - i % 6;

        assert_int_equal(taken[i].op,
                         left > 0 ? MEM_TRACE_FRAME : MEM_TRACE_MALLOC);
        assert_true(taken[i].caller == (left > 0 ? ring : CALLER));
        assert_true(taken[i].count == left && taken[i].pointer == 0);
        assert_true(taken[i].result == (left > 0 ? 0 : 0x1000 + ring));
        assert_true(taken[i].size == (left > 0 ? 0 : 50));
    }
}

static void rings_are_merged_by_time(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 1000; i++)
        put_free((uint32_t)(i * i % 3), 10 + i, i);
    assert_int_equal(take(false), 1000);
    for (uint64_t i = 0; i < 1000; i++)
        assert_true(taken[i].pointer == i);
}

/* The record being added may be as old as the previous one, but not older. */
static void a_busy_ring_holds_up_what_is_newer(void **state)
{
    (void)state;
    put_free(1, 10, 1);
    area->rings[1].busy = 1;
    put_free(2, 9, 2);
    put_free(2, 11, 3);
    assert_int_equal(take(false), 2);
    assert_true(taken[1].pointer == 1);
    put_free(1, 10, 4);
    area->rings[1].busy = 0;
    assert_int_equal(take(false), 2);
    assert_true(taken[2].pointer == 4 && taken[3].pointer == 3);
}

static void at_the_end_nothing_is_held_up(void **state)
{
    (void)state;
    area->rings[1].busy = 1;
    put_free(2, 11, 3);
    assert_int_equal(take(false), 0);
    assert_int_equal(take(true), 1);
}

static void what_is_too_new_waits(void **state)
{
    (void)state;
    put_free(2, UINT64_MAX >> 4, 3);
    assert_int_equal(take(false), 0);
    assert_true(reader.places[2].tail != reader.places[2].head);
}

static void a_ring_goes_round(void **state)
{
    uint64_t time = 1;

    (void)state;
    for (unsigned round = 0; round < 5; round++) {
        while (EVENTS_RING_WORDS - area->rings[1].head % EVENTS_RING_WORDS >=
               EVENTS_RECORD_WORDS)
            put_free(1, time++, 1);
        put(1, 0, EVENTS_RING_END, NULL, 0);
        area->rings[1].head = (uint64_t)(round + 1) * EVENTS_RING_WORDS;
        taken_count = 0;
        assert_int_equal(take(false), EVENTS_RING_WORDS / 3 - 1);
        assert_true(area->rings[1].tail == area->rings[1].head);
    }
    assert_true(area->room >= 5);
}

static void a_limit_is_kept(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 10; i++)
        put_free(1, 10 + i, i);
    tick_scale_update(&scale);
    assert_int_equal(
        ring_reader_take(&reader, &scale, false, 4, take_event, NULL), 4);
    assert_true(area->rings[1].tail == 12);
    assert_int_equal(take(false), 6);
}

/* A program may write anything there. */
static void what_is_no_record_ends_its_ring(void **state)
{
    const uint64_t words[] = { 1, 2, 3, 4 };

    (void)state;
    put(1, 1, 7, words, 4);
    put_free(2, 2, 5);
    assert_int_equal(take(false), 1);
    assert_true(area->rings[1].tail == area->rings[1].head);
    area->rings[1].head += 2; /* truncated within an event */
    assert_int_equal(take(false), 0);
    area->rings[1].head = UINT64_MAX / 2;
    assert_int_equal(take(false), 0);
    area->rings[1].head = 3;
    assert_int_equal(take(false), 0);
    put_free(1, 3, 6);
    assert_int_equal(take(false), 1);
}

enum { BOX = EVENTS_RING_WORDS };

static uint64_t overrun; /* words that the program adds once reading has
                            begun */

/* Write like a program with a black box: blocks begin with the thread. */
static void put_in_box(uint64_t time)
{
    struct events_ring *ring = &area->rings[1];
    uint64_t *at = (uint64_t *)(void *)((char *)area + EVENTS_AREA_HEAD) + BOX;
    uint64_t end = (ring->head / EVENTS_BLOCK_WORDS + 1) * EVENTS_BLOCK_WORDS;

    if (end - ring->head < EVENTS_RECORD_WORDS) {
        at[ring->head % BOX] = EVENTS_RING_END;
        ring->head = end;
    }
    if (ring->head % EVENTS_BLOCK_WORDS == 0) {
        at[ring->head++ % BOX] =
            time << EVENTS_RING_KIND_BITS | EVENTS_RING_THREAD;
        at[ring->head++ % BOX] = 7;
    }
    at[ring->head++ % BOX] = time << EVENTS_RING_KIND_BITS | MEM_TRACE_FREE;
    at[ring->head++ % BOX] = CALLER;
    at[ring->head++ % BOX] = time;
    ring->events++;
}

static void take_and_overrun(void *context, const struct mem_trace_event *event)
{
    take_event(context, event);
    for (; overrun > 0; overrun--)
        put_in_box(1 + area->rings[1].events);
}

static void open_box(void)
{
    ring_reader_close(&reader);
    memset(area->rings, 0, sizeof area->rings);
    area->is_blackbox = 1;
    area->is_closed = 0;
    assert_true(ring_reader_open(&reader, fd, 0));
    assert_true(reader.is_blackbox);
}

static void check_box(uint64_t most_lost)
{
    uint64_t events = area->rings[1].events, count;

    tick_scale_update(&scale);
    count = ring_reader_take(&reader, &scale, true, UINT64_MAX,
                             take_and_overrun, NULL);
    assert_int_equal(count, taken_count);
    assert_true(taken_count + most_lost >= events);
    for (size_t i = 0; i < taken_count; i++) {
        assert_int_equal(taken[i].op, MEM_TRACE_FREE);
        assert_int_equal(taken[i].pointer, taken[i].time_ns);
        assert_int_equal(taken[i].caller, CALLER);
        assert_int_equal(taken[i].thread, 7);
        assert_true(i == 0 || taken[i].time_ns > taken[i - 1].time_ns);
    }
    assert_int_equal(taken[taken_count - 1].pointer, events);
    assert_int_equal(area->rings[1].tail, 0);
    assert_int_equal(area->is_closed, 0);
}

static void a_black_box_has_the_last_events(void **state)
{
    (void)state;
    open_box();
    for (uint64_t time = 1; time <= 30000; time++)
        put_in_box(time);
    check_box(30000 - (BOX - 2 * EVENTS_BLOCK_WORDS) / 3 + 10);
}

/* The program overtakes the reader: never half a record, and none twice. */
static void what_is_written_over_meanwhile_is_left_out(void **state)
{
    (void)state;
    open_box();
    for (uint64_t time = 1; time <= 30000; time++)
        put_in_box(time);
    overrun = 3000;
    check_box(30000 - 2000);
    assert_int_equal(overrun, 0);
}

static void losses_are_read(void **state)
{
    (void)state;
    area->lost = 41;
    take(false);
    assert_int_equal(reader.lost, 41);
}

static void without_a_magic_there_is_no_area(void **state)
{
    struct ring_reader other;

    (void)state;
    area->magic = 0;
    assert_false(ring_reader_open(&other, fd, 0));
}

static void a_closed_one_tells_the_program(void **state)
{
    (void)state;
    assert_int_equal(area->is_closed, 0);
    ring_reader_close(&reader);
    assert_int_equal(area->is_closed, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_area, close_area)
        TEST(each_record_is_an_event),
        TEST(frames_stay_with_their_allocation),
        TEST(rings_are_merged_by_time),
        TEST(a_busy_ring_holds_up_what_is_newer),
        TEST(at_the_end_nothing_is_held_up),
        TEST(what_is_too_new_waits),
        TEST(a_ring_goes_round),
        TEST(a_limit_is_kept),
        TEST(what_is_no_record_ends_its_ring),
        TEST(a_black_box_has_the_last_events),
        TEST(what_is_written_over_meanwhile_is_left_out),
        TEST(losses_are_read),
        TEST(without_a_magic_there_is_no_area),
        TEST(a_closed_one_tells_the_program),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
