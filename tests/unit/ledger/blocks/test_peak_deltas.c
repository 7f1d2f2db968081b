/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_peak_deltas.c - every peak of one thread is exact, of the heap and of
 * maps, compared with accounts that are copied at each decrease, with random
 * blocks and maps of random sites
 */
#include "ledger/blocks/map_peak.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "ledger/blocks/ledger_blocks.h"
#include "ledger/shards/heap_total.h"
#include "ledger/space/ledger_writer.h"

enum { SITES = 128, BLOCKS = 512, MAPS = 16, STEPS = 200000, SHARDS = 3 };

static struct ledger_header header;
static struct ledger_site sites[SITES];
static struct ledger_counter counters[SHARDS][SITES]
    __attribute__((aligned(LEDGER_PAGE)));
static struct ledger_peak peaks[SITES];
static struct ledger_map_peak map_peaks[SITES];
static struct ledger_total *const total = &header.totals[1];

struct process process;
_Thread_local struct recorder_thread recorder_thread;

struct ledger_site *ledger_site_at(uint32_t id)
{
    return &sites[id];
}

uint32_t ledger_id_of(uint32_t reference)
{
    return reference;
}

struct ledger_counter *ledger_counter_at(uint32_t id)
{
    return &counters[0][id];
}

bool ledger_peaks_are_plain(uint32_t site)
{
    (void)site;
    return header.flags == 0 && header.map_peak_number == 0 &&
           sites[3].kind != LEDGER_SITE_FILE;
}

uint32_t ledger_site_count(void)
{
    return process.header->site_count;
}

uint32_t ledger_space_shards(void)
{
    return process.header->shard_count;
}

struct ledger_peak *ledger_peak_at(uint32_t id)
{
    return &peaks[id];
}

struct ledger_map_peak *ledger_map_peak_at(uint32_t id)
{
    return &map_peaks[id];
}

struct model {
    uint32_t block_sites[BLOCKS]; /* 0: none */
    uint64_t sizes[BLOCKS];
    struct ledger_peak held[SITES], at_peak[SITES];
    struct ledger_peak maps[MAPS]; /* blocks: pieces */
    uint64_t live, peak;           /* of the heap */
    uint64_t map_bytes, peak_with_maps;
    struct ledger_peak maps_at_peak[MAPS]; /* odd ones are without access */
    struct ledger_map_bytes map_now, map_peak;
    uint32_t draws;
};

static uint32_t draw(struct model *model, uint32_t limit)
{
    model->draws = model->draws * 1664525 + 1013904223;
    return (model->draws >> 8) % limit;
}

/* Record like ledger_blocks.c, sometimes by the slow path. */
static void change(enum shard_side side, struct reference block)
{
    static uint32_t changes;

    shard_add_own(&counters[1][block.id], side, block.size);
    if (!heap_total_add(total, side, block.size))
        return;
    if (++changes % 3 != 0 && peak_deltas_add(side, block))
        return;
    if (peak_deltas_flush(total, side, block))
        return;
    peak_watch(total, side == SHARD_FREE ? block.id : 0,
               side == SHARD_FREE ? block.size : 0);
}

static void see_peak(struct model *model)
{
    if (model->live > model->peak) {
        memcpy(model->at_peak, model->held, sizeof model->held);
        model->peak = model->live;
    }
    if (model->live + model->map_bytes > model->peak_with_maps)
        model->peak_with_maps = model->live + model->map_bytes;
    if (model->map_now.accessible > model->map_peak.accessible ||
        (model->map_now.accessible == model->map_peak.accessible &&
         model->map_now.reserved >= model->map_peak.reserved)) {
        memcpy(model->maps_at_peak, model->maps, sizeof model->maps);
        model->map_peak = model->map_now;
    }
}

static void give_back(struct model *model, uint32_t i)
{
    struct reference block = { model->block_sites[i], model->sizes[i] };

    see_peak(model);
    model->held[block.id].blocks--;
    model->held[block.id].bytes -= block.size;
    model->live -= block.size;
    model->block_sites[i] = 0;
    change(SHARD_FREE, block);
}

static void take(struct model *model, uint32_t i, uint32_t site, uint64_t size)
{
    struct reference block = { site, size };

    model->block_sites[i] = block.id;
    model->sizes[i] = size;
    model->held[block.id].blocks++;
    model->held[block.id].bytes += size;
    model->live += size;
    change(SHARD_ALLOC, block);
}

/* Change a map of the allocating thread, like map_accounts.c. */
static void change_map(struct model *model, uint32_t i, int64_t pieces,
                       int64_t bytes)
{
    struct ledger_counter *counter = &counters[1][SITES - 1 - i];

    see_peak(model);
    model->maps[i].blocks += (uint64_t)pieces;
    model->maps[i].bytes += (uint64_t)bytes;
    model->map_bytes += (uint64_t)bytes;
    *(i % 2 == 1 ? &model->map_now.reserved : &model->map_now.accessible) +=
        bytes;
    *(pieces > 0 ? &counter->alloc_blocks : &counter->free_blocks) +=
        (uint64_t)(pieces > 0 ? pieces : -pieces);
    *(bytes > 0 ? &counter->alloc_bytes : &counter->free_bytes) +=
        (uint64_t)(bytes > 0 ? bytes : -bytes);
    map_peak_add((struct peak_change){ SITES - 1 - i, pieces, bytes },
                 i % 2 == 1);
    see_peak(model);
}

/* Add a mapping, remove one, or make a hole of a page in one. */
static void draw_map(struct model *model, uint32_t pages)
{
    uint32_t i = draw(model, MAPS);
    struct ledger_peak *map = &model->maps[i];

    if (map->blocks == 0)
        change_map(model, i, 1, (1 + (int64_t)draw(model, pages)) * 4096);
    else if (draw(model, 4) != 0 || map->bytes < 3 * 4096)
        change_map(model, i, -(int64_t)map->blocks, -(int64_t)map->bytes);
    else
        change_map(model, i, 1, -4096);
}

static void compare_maps(const struct model *model)
{
    for (uint32_t i = 0; i < MAPS; i++) {
        const struct ledger_map_peak *peak = &map_peaks[SITES - 1 - i];
        bool is_less = peak->number == header.map_peak_number;

        assert_int_equal(model->maps[i].blocks +
                             (uint64_t)(is_less ? peak->pieces : 0),
                         model->maps_at_peak[i].blocks);
        assert_int_equal(model->maps[i].bytes +
                             (uint64_t)(is_less ? peak->bytes : 0),
                         model->maps_at_peak[i].bytes);
    }
}

/* Compare with the result of a reader. */
static void compare(const struct model *model)
{
    bool is_noted = header.peak_noted != 0;
    uint64_t known = is_noted ? header.peak_noted : header.peak_copied;
    uint64_t with_maps = model->live + model->map_bytes;

    if (header.map_peak_number != 0) {
        compare_maps(model);
        assert_int_equal(heap_total_peak(&header, true),
                         with_maps > model->peak_with_maps
                             ? with_maps
                             : model->peak_with_maps);
    }
    assert_int_equal(heap_total_now(&header).live, model->live);
    if (model->live > known || model->live > model->peak) {
        assert_true(model->live >= model->peak);
        return; /* the live bytes are the peak */
    }
    assert_int_equal(known, model->peak);
    assert_int_equal(heap_total_peak(&header, false), model->peak);
    for (uint32_t i = 0; i < SITES; i++) {
        assert_int_equal(peaks[i].blocks +
                             (is_noted ? model->held[i].blocks : 0),
                         model->at_peak[i].blocks);
        assert_int_equal(peaks[i].bytes + (is_noted ? model->held[i].bytes : 0),
                         model->at_peak[i].bytes);
    }
}

static int set_up(void **state)
{
    (void)state;
    memset(&header, 0, sizeof header);
    memset(&process, 0, sizeof process);
    memset(counters, 0, sizeof counters);
    memset(peaks, 0, sizeof peaks);
    memset(map_peaks, 0, sizeof map_peaks);
    process.header = &header;
    header.shard_count = SHARDS;
    header.site_count = SITES - 1;
    for (uint32_t i = 0; i < SITES; i++)
        sites[i].kind = i < SITES - MAPS ? LEDGER_SITE_HEAP : LEDGER_SITE_MAP;
    for (int i = 0; i < LEDGER_TOTAL_CAPACITY; i++)
        header.totals[i].room = LEDGER_TOTAL_BATCH;
    total->fall_at = 2 * LEDGER_TOTAL_BATCH;
    total->is_used = 1;
    recorder_thread.own_shard = 1;
    peak_deltas_share(total);
    return 0;
}

/* The last sites have no heap blocks. */
static void go(struct model *model, uint32_t largest, uint32_t steps,
               uint32_t last)
{
    for (uint32_t step = 0; step < steps; step++) {
        uint32_t i = draw(model, BLOCKS);
        uint64_t size = 1 + draw(model, largest + step / 64);

        if (model->block_sites[i] != 0)
            give_back(model, i);
        else
            take(model, i, 1 + draw(model, SITES - 1 - last), size);
        if (step % 16 == 0)
            compare(model);
    }
}

static void of_little_blocks(void **state)
{
    struct model model = { .draws = 1 };

    (void)state;
    go(&model, 64, STEPS, MAPS);
}

/* A single block exceeds the batch of the total. */
static void of_large_blocks(void **state)
{
    struct model model = { .draws = 2 };

    (void)state;
    go(&model, 3 * LEDGER_TOTAL_BATCH, STEPS, MAPS);
}

static void of_blocks_and_maps(uint32_t one_of, uint32_t largest,
                               uint32_t pages)
{
    struct model model = { .draws = one_of + pages };

    for (uint32_t i = 0; i < STEPS / 8; i++) {
        if (draw(&model, one_of) == 0)
            draw_map(&model, pages);
        go(&model, largest, draw(&model, 16), MAPS);
        compare(&model);
    }
    assert_true(model.peak < model.peak_with_maps);
    assert_true(header.map_peak_number > 2);
}

static void of_heap_and_maps(void **state)
{
    (void)state;
    of_blocks_and_maps(1, 64, 2);
    set_up(state);
    of_blocks_and_maps(7, 64, 2);
    set_up(state);
    of_blocks_and_maps(100, 200, 8);
    set_up(state);
    of_blocks_and_maps(3, LEDGER_TOTAL_BATCH, 100);
}

/* A map without access, and one that is gone, choose no peak of the heap. */
static void maps_choose_no_peak_of_the_heap(void **state)
{
    struct model model = { .draws = 1 };

    (void)state;
    take(&model, 0, 1, 500);
    change_map(&model, 1, 1, INT64_C(8) << 30);
    change_map(&model, 0, 1, 1 << 20);
    take(&model, 1, 2, 100);
    change_map(&model, 0, -1, -(1 << 20));
    take(&model, 2, 3, 1000);
    give_back(&model, 2);
    compare(&model);
    assert_int_equal(heap_total_peak(&header, false), 1600);
    assert_int_equal(peaks[3].bytes, 1000);
    assert_int_equal(heap_total_peak(&header, true),
                     600 + (INT64_C(8) << 30) + (1 << 20));
    assert_int_equal(header.map_peak.accessible, 1 << 20);
}

/* Their bytes at the peak are exact until then, and stay so. */
static void until_another_thread_comes(void **state)
{
    for (uint32_t steps = 1000; steps < 1100; steps++) {
        struct model model = { .draws = steps };

        set_up(state);
        go(&model, 64, steps, MAPS);
        header.totals[2].is_used = 1;
        peak_deltas_share(&header.totals[2]);
        assert_null(process.peak.delta_total);
        assert_int_equal(header.peak_noted != 0 && model.live <= model.peak, 0);
        compare(&model);
        change(SHARD_ALLOC, (struct reference){ 1, 1 });
        assert_true(total->rise_at > 0);
    }
}

static void a_signal_handler_that_finds_it_claimed_does_nothing(void **state)
{
    struct model model = { .draws = 4 };

    (void)state;
    process.peak.copier = &recorder_thread;
    take(&model, 1, 1, 100);
    give_back(&model, 1);
    assert_int_equal(header.peak_noted, 0);
    process.peak.copier = NULL;
    take(&model, 1, 1, 200);
    give_back(&model, 1);
    assert_int_equal(header.peak_noted, 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(of_little_blocks, set_up),
        cmocka_unit_test_setup(of_large_blocks, set_up),
        cmocka_unit_test_setup(of_heap_and_maps, set_up),
        cmocka_unit_test_setup(maps_choose_no_peak_of_the_heap, set_up),
        cmocka_unit_test_setup(until_another_thread_comes, set_up),
        cmocka_unit_test_setup(
            a_signal_handler_that_finds_it_claimed_does_nothing, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
