/* SPDX-License-Identifier: Apache-2.0 */
/* test_zpl_profiler.c - a round, event by event, and its figures */
#include "tally/zpl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/ctf/ctf_input.h"
#include "tally/config.h"
#include "tally/error.h"
#include "tally/k_heap.h"
#include "tally/mem_slab.h"
#include "tally/port.h"
#include "tests/fakes/fake_port.h"
#include "tests/fakes/fake_sink.h"

static const struct tally_port_region regions[] = {
    { 0x10000, 3000, 5192, "main", 77, ZPL_STACK },
    { 0x50000, 7, 8, "of the kernel", 0, ZPL_MEM_SLAB },
    { 0x60000, 9, 10, NULL, 0, ZPL_K_HEAP },
    { 0x30000, 1000, 24, NULL, 0, ZPL_HEAP },
    { 0x20000, 4096, 0, NULL, 78, ZPL_STACK },
    { 0x40000, (size_t)-1, 5, "libc", 0, ZPL_HEAP },
};
enum { REGIONS = sizeof regions / sizeof regions[0] };

static unsigned char buffer[4096];
static unsigned char heap_memory[4096], k_heap_memory[4096], slab_memory[512];
static struct sys_heap heap;
static struct k_heap k_heap;
static struct k_mem_slab slab;

static int create(void **state)
{
    struct fake_sink *sink = fake_sink_create();

    *state = sink;
    /* No reset: the memory of the lists of slabs and heaps stays. */
    fake_port_set_regions(NULL, 0);
    fake_port_set_time_ns(0);
    zpl_memory_profiling_set(true);
    return tally_zpl_open(&(struct tally_zpl_stream){
        .sink = fake_sink(sink),
        .buffer = buffer,
        .capacity = sizeof buffer,
        .format = TALLY_ZPL_CTF,
    });
}

static int destroy(void **state)
{
    tally_zpl_flush();
    tally_zpl_open(&(struct tally_zpl_stream){ .buffer = buffer,
                                               .capacity = sizeof buffer });
    fake_sink_destroy(*state);
    return 0;
}

static struct ctf_reader *read_sink(const struct fake_sink *sink)
{
    struct ctf_reader *reader = malloc(sizeof *reader);

    assert_non_null(reader);
    ctf_reader_open(reader, NULL);
    assert_int_equal(byte_stream_feed(&reader->in, sink->bytes, sink->size),
                     sink->size);
    byte_stream_end(&reader->in);
    return reader;
}

static void expect(struct ctf_reader *reader, unsigned region, uint64_t address,
                   uint32_t used, uint32_t unused, uint32_t thread)
{
    struct zpl_event event;

    assert_true(ctf_reader_next(reader, &event));
    assert_int_equal(event.memory_region, region);
    assert_true(event.memory_addr == address);
    assert_int_equal(event.used, used);
    assert_int_equal(event.unused, unused);
    assert_int_equal(event.for_thread_id, thread);
}

static void a_round_has_every_region_in_order(void **state)
{
    struct ctf_reader *reader;
    struct sys_memory_stats stats;
    struct tally_zpl_figures figures;
    struct zpl_event event;
    void *block;
    size_t heap_size, k_heap_size;

    sys_heap_init(&heap, heap_memory, sizeof heap_memory);
    k_heap_init(&k_heap, k_heap_memory, sizeof k_heap_memory);
    assert_int_equal(k_mem_slab_init(&slab, slab_memory, 32, 16), 0);
    sys_heap_runtime_stats_get(&heap, &stats);
    heap_size = stats.free_bytes;
    sys_heap_runtime_stats_get(&k_heap.heap, &stats);
    k_heap_size = stats.free_bytes;
    assert_non_null(sys_heap_alloc(&heap, 100)); /* 112 with its header */
    assert_non_null(k_heap_alloc(&k_heap, 40, K_NO_WAIT)); /* 48 */
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(k_mem_slab_alloc(&slab, &block, K_NO_WAIT), 0);

    fake_port_set_regions(regions, REGIONS);
    fake_port_hide_stacks(3);
    tally_zpl_round();
    fake_port_hide_stacks(0);
    reader = read_sink(*state);
    expect(reader, ZPL_STACK, 0x10000, 3000, 5192, 77);
    expect(reader, ZPL_STACK, 0x20000, 4096, 0, 78);
    expect(reader, ZPL_HEAP, 0x30000, 1000, 24, 0);
    expect(reader, ZPL_HEAP, 0x40000, UINT32_MAX, 5, 0);
    expect(reader, ZPL_HEAP, (uintptr_t)&heap, 112, (uint32_t)heap_size - 112,
           0);
    expect(reader, ZPL_K_HEAP, 0x60000, 9, 10, 0);
    expect(reader, ZPL_K_HEAP, (uintptr_t)&k_heap, 48,
           (uint32_t)k_heap_size - 48, 0);
    expect(reader, ZPL_MEM_SLAB, 0x50000, 7, 8, 0);
    expect(reader, ZPL_MEM_SLAB, (uintptr_t)&slab, 96, 416, 0);
    assert_false(ctf_reader_next(reader, &event));
    tally_zpl_figures_get(&figures);
    assert_int_equal(figures.regions, 9);
    assert_int_equal(figures.unseen, 3);
    free(reader);
    tally_heap_forget(&heap);
    tally_heap_forget(&k_heap.heap);
    tally_mem_slab_forget(&slab);
}

static void take_region(void *context, const struct tally_port_region *region)
{
    struct tally_port_region *taken = context;

    assert_null(taken->name); /* one region */
    assert_int_equal(fake_port_lock_depth(), 1);
    *taken = *region;
}

/* A port that leaves out tally_own_regions() has none of these. */
static void own_regions_have_names(void **state)
{
    struct tally_port_region taken = { 0 };

    (void)state;
    sys_heap_init(&heap, heap_memory, sizeof heap_memory);
    tally_heap_name_set(&heap, "a heap");
    assert_int_equal(k_mem_slab_init(&slab, slab_memory, 32, 16), 0);
    tally_mem_slab_name_set(&slab, "a slab");
    tally_own_regions(ZPL_STACK, take_region, &taken);
    tally_own_regions(ZPL_K_HEAP, take_region, &taken);
    assert_null(taken.name);
    tally_own_regions(ZPL_HEAP, take_region, &taken);
    assert_string_equal(taken.name, "a heap");
    assert_int_equal(taken.address, (uintptr_t)&heap);
    assert_int_equal(taken.kind, ZPL_HEAP);
    taken.name = NULL;
    tally_own_regions(ZPL_MEM_SLAB, take_region, &taken);
    assert_string_equal(taken.name, "a slab");
    assert_int_equal(taken.unused, 512);
    assert_int_equal(taken.thread, 0);
    tally_heap_forget(&heap);
    tally_mem_slab_forget(&slab);
}

static void what_is_gone_is_not_told_of(void **state)
{
    struct fake_sink *sink = *state;
    struct tally_zpl_figures figures;

    sys_heap_init(&heap, heap_memory, sizeof heap_memory);
    assert_int_equal(k_mem_slab_init(&slab, slab_memory, 32, 16), 0);
    tally_zpl_round();
    tally_zpl_figures_get(&figures);
    assert_int_equal(figures.regions, 2);
    tally_heap_forget(&heap);
    tally_mem_slab_forget(&slab);
    sink->size = 0;
    tally_zpl_round();
    assert_int_equal(sink->size, 0);
}

static void it_is_switched_off_and_on(void **state)
{
    struct fake_sink *sink = *state;

    fake_port_set_regions(regions, 1);
    zpl_memory_profiling_set(false);
    assert_false(tally_zpl_is_on());
    tally_zpl_round();
    assert_int_equal(sink->size, 0);
    zpl_emit_memory_event(ZPL_HEAP, 1, 2, 3); /* another source's event is
                                                 sent */
    tally_zpl_round();
    assert_int_equal(sink->calls, 1);
    sink->size = 0;
    zpl_memory_profiling_set(true);
    assert_true(tally_zpl_is_on());
    tally_zpl_round();
    assert_int_equal(sink->size, CTF_PACKET_HEAD + sizeof(zpl_memory_event_t) +
                                     CTF_PACKET_TRAILER);
}

static void a_poll_keeps_the_interval(void **state)
{
    const uint64_t ms = 1000000;
    const uint64_t interval = CONFIG_ZPL_MEMORY_PROFILING_INTERVAL * ms;
    struct tally_zpl_figures before, after;

    (void)state;
    tally_zpl_figures_get(&before);
    fake_port_set_time_ns(5 * ms);
    assert_true(tally_zpl_poll());
    fake_port_set_time_ns(4 * ms + interval);
    assert_false(tally_zpl_poll());
    fake_port_set_time_ns(6 * ms + interval);
    assert_true(tally_zpl_poll());
    /* The third round is due one interval after the second was due, not after
       it ran. */
    fake_port_set_time_ns(5 * ms + 2 * interval);
    assert_true(tally_zpl_poll());
    /* Missed rounds are skipped. */
    fake_port_set_time_ns(5 * ms + 9 * interval + 1);
    assert_true(tally_zpl_poll());
    assert_false(tally_zpl_poll());
    tally_zpl_figures_get(&after);
    assert_int_equal(after.rounds - before.rounds, 4);
}

static bool take_a_while(void *context, const void *bytes, size_t size)
{
    (void)context;
    (void)bytes;
    (void)size;
    fake_port_set_time_ns(tally_port_time_ns() + 2500);
    return true;
}

static void a_round_tells_what_it_takes(void **state)
{
    struct fake_sink *sink = *state;
    struct tally_zpl_figures before, after;
    struct tally_zpl_stream stream = {
        .sink = { take_a_while, NULL },
        .buffer = buffer,
        .capacity = sizeof buffer,
        .format = TALLY_ZPL_CTF,
    };
    struct ctf_packet packet;
    struct ctf_layout layout;
    uint32_t first_us;

    fake_port_set_regions(regions, 1);
    tally_zpl_round();
    assert_true(ctf_packet_read(sink->bytes, &packet, &layout));
    assert_true(ctf_packet_read_trailer(sink->bytes, &packet));
    first_us = packet.profiler_us;
    tally_zpl_figures_get(&before);
    assert_int_equal(tally_zpl_open(&stream), TALLY_OK);
    tally_zpl_round();
    tally_zpl_round();
    tally_zpl_figures_get(&after);
    assert_int_equal(after.total_ns - before.total_ns, 5000);
    assert_int_equal(after.last_ns, 2500);
    assert_true(after.most_ns >= 2500);
    stream.sink = fake_sink(sink);
    assert_int_equal(tally_zpl_open(&stream), TALLY_OK);
    sink->size = 0;
    tally_zpl_round();
    assert_true(ctf_packet_read(sink->bytes, &packet, &layout));
    assert_true(ctf_packet_read_trailer(sink->bytes, &packet));
    assert_int_equal(packet.profiler_us - first_us, 5);
}

static void events_have_the_time_of_their_emission(void **state)
{
    struct ctf_reader *reader;
    struct zpl_event event;

    fake_port_set_time_ns(UINT64_C(5000000000));
    zpl_emit_memory_event(ZPL_HEAP, 1, 2, 3);
    fake_port_set_time_ns(UINT64_C(9999999999));
    zpl_emit_memory_for_thread_event(ZPL_STACK, 4, 5, 6, 7);
    tally_zpl_flush();
    reader = read_sink(*state);
    assert_true(ctf_reader_next(reader, &event));
    assert_true(event.time_ns == UINT64_C(5000000000));
    assert_true(ctf_reader_next(reader, &event));
    assert_true(event.time_ns == UINT64_C(9999999999));
    assert_int_equal(event.for_thread_id, 7);
    free(reader);
}

static void lost_events_are_counted(void **state)
{
    struct fake_sink *sink = *state;
    struct tally_zpl_figures before, after;

    tally_zpl_figures_get(&before);
    sink->is_closed = true;
    zpl_emit_memory_event(ZPL_HEAP, 1, 2, 3);
    zpl_emit_memory_event(ZPL_HEAP, 1, 2, 3);
    tally_zpl_flush();
    sink->is_closed = false;
    zpl_emit_memory_event(ZPL_HEAP, 1, 2, 3);
    tally_zpl_flush();
    tally_zpl_figures_get(&after);
    assert_int_equal(after.events - before.events, 3);
    assert_int_equal(after.discarded - before.discarded, 2);
    assert_int_equal(after.packets - before.packets, 1);
}

static void text_comes_in_whole_lines(void **state)
{
    static const char expected[] =
        "zpl_memory_event stack (0x20011748) 80B 432B 536936848\n"
        "zpl_memory_event mem_slab (0x2001002c) 256B 7936B 0\n";
    struct fake_sink *sink = *state;
    struct tally_zpl_stream stream = {
        .sink = fake_sink(sink),
        .buffer = buffer,
        .capacity = TALLY_ZPL_BUFFER_SMALLEST,
        .format = TALLY_ZPL_PLAINTEXT,
    };

    assert_int_equal(tally_zpl_open(&stream), TALLY_OK);
    zpl_emit_memory_for_thread_event(ZPL_STACK, 0x20011748, 80, 432, 536936848);
    zpl_emit_memory_event(ZPL_MEM_SLAB, 0x2001002c, 256, 7936);
    assert_int_equal(sink->calls, 1);
    tally_zpl_flush();
    assert_int_equal(sink->calls, 2);
    assert_int_equal(sink->size, sizeof expected - 1);
    assert_memory_equal(sink->bytes, expected, sizeof expected - 1);
}

static void streams_that_cannot_be_are_refused(void **state)
{
    struct tally_zpl_stream stream = {
        .buffer = buffer,
        .capacity = TALLY_ZPL_BUFFER_SMALLEST - 1,
    };

    (void)state;
    assert_int_equal(tally_zpl_open(&stream), TALLY_E_INVALID);
    stream.capacity = TALLY_ZPL_BUFFER_SMALLEST;
    stream.layout = 5;
    assert_int_equal(tally_zpl_open(&stream), TALLY_E_INVALID);
    stream.layout = 3;
    stream.buffer = NULL;
    assert_int_equal(tally_zpl_open(&stream), TALLY_E_INVALID);
}

static void regions_have_names(void **state)
{
    (void)state;
    assert_string_equal(zpl_memory_region_enum_to_string(ZPL_STACK), "stack");
    assert_string_equal(zpl_memory_region_enum_to_string(ZPL_HEAP), "heap");
    assert_string_equal(zpl_memory_region_enum_to_string(ZPL_K_HEAP), "k_heap");
    assert_string_equal(zpl_memory_region_enum_to_string(ZPL_MEM_SLAB),
                        "mem_slab");
    assert_string_equal(
        zpl_memory_region_enum_to_string((enum zpl_memory_region)4),
        "<unknown>");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, create, destroy)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_round_has_every_region_in_order),
        TEST(own_regions_have_names),
        TEST(what_is_gone_is_not_told_of),
        TEST(it_is_switched_off_and_on),
        TEST(a_poll_keeps_the_interval),
        TEST(a_round_tells_what_it_takes),
        TEST(events_have_the_time_of_their_emission),
        TEST(lost_events_are_counted),
        TEST(text_comes_in_whole_lines),
        TEST(streams_that_cannot_be_are_refused),
        TEST(regions_have_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
