/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_peak_notes.c - every peak of one thread is exact: against accounts that
 * are copied at each fall, with random blocks of random sites
 */
#include "ledger/record/peak.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "ledger/record/record.h"
#include "ledger/shards/heap_total.h"
#include "ledger/space/ledger_writer.h"

enum { SITES = 128, BLOCKS = 512, STEPS = 200000, SHARDS = 3 };

static struct ledger_header header;
static struct ledger_site sites[SITES];
static struct ledger_counter counters[SHARDS][SITES]
    __attribute__((aligned(LEDGER_PAGE)));
static struct ledger_peak peaks[SITES];
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
    return true;
}

struct ledger_peak *ledger_peak_at(uint32_t id)
{
    return &peaks[id];
}

struct model {
    uint32_t block_sites[BLOCKS]; /* 0: there is none */
    uint64_t sizes[BLOCKS];
    struct ledger_peak held[SITES], at_peak[SITES];
    uint64_t live, peak;
    uint32_t draws;
};

static uint32_t draw(struct model *model, uint32_t limit)
{
    model->draws = model->draws * 1664525 + 1013904223;
    return (model->draws >> 8) % limit;
}

/* As record.c does; now and then by the longer way, which comes to the same. */
static void change(enum shard_side side, struct reference block)
{
    static uint32_t changes;

    shard_add_own(&counters[1][block.id], side, block.size);
    if (!heap_total_add(total, side, block.size))
        return;
    if (++changes % 3 != 0 && peak_notes_add(side, block))
        return;
    if (peak_notes_flush(total, side, block))
        return;
    peak_accounts_watch(total, side == SHARD_FREE ? block.id : 0,
                        side == SHARD_FREE ? block.size : 0);
}

static void give_back(struct model *model, uint32_t i)
{
    struct reference block = { model->block_sites[i], model->sizes[i] };

    if (model->live > model->peak) {
        memcpy(model->at_peak, model->held, sizeof model->held);
        model->peak = model->live;
    }
    model->held[block.id].blocks--;
    model->held[block.id].bytes -= block.size;
    model->live -= block.size;
    model->block_sites[i] = 0;
    change(SHARD_FREE, block);
}

static void take(struct model *model, uint32_t i, uint64_t size)
{
    struct reference block = { 1 + draw(model, SITES - 1), size };

    model->block_sites[i] = block.id;
    model->sizes[i] = size;
    model->held[block.id].blocks++;
    model->held[block.id].bytes += size;
    model->live += size;
    change(SHARD_ALLOC, block);
}

/* What a reader would find. */
static void compare(const struct model *model)
{
    bool is_noted = header.peak_noted != 0;

    if (model->live > model->peak)
        return; /* what is live is the peak */
    assert_int_equal(is_noted ? header.peak_noted : header.peak_copied,
                     model->peak);
    assert_int_equal(heap_total_peak(&header), model->peak);
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
    process.header = &header;
    header.shard_count = SHARDS;
    header.site_count = SITES - 1;
    for (uint32_t i = 0; i < SITES; i++)
        sites[i] = (struct ledger_site){ .kind = LEDGER_SITE_HEAP };
    for (int i = 0; i < LEDGER_TOTAL_CAPACITY; i++)
        header.totals[i].room = LEDGER_TOTAL_BATCH;
    total->fall_at = 2 * LEDGER_TOTAL_BATCH;
    total->is_used = 1;
    peak_notes_share(total);
    return 0;
}

static void go(struct model *model, uint32_t largest, uint32_t steps)
{
    for (uint32_t step = 0; step < steps; step++) {
        uint32_t i = draw(model, BLOCKS);
        uint64_t size = 1 + draw(model, largest + step / 64);

        if (model->block_sites[i] != 0)
            give_back(model, i);
        else
            take(model, i, size);
        if (step % 16 == 0)
            compare(model);
    }
}

static void of_little_blocks(void **state)
{
    struct model model = { .draws = 1 };

    (void)state;
    go(&model, 64, STEPS);
}

/* One alone is more than the total may gather. */
static void of_large_blocks(void **state)
{
    struct model model = { .draws = 2 };

    (void)state;
    go(&model, 3 * LEDGER_TOTAL_BATCH, STEPS);
}

/* What they held is known to the byte until then, and stays so. */
static void until_another_thread_comes(void **state)
{
    for (uint32_t steps = 1000; steps < 1100; steps++) {
        struct model model = { .draws = steps };

        set_up(state);
        go(&model, 64, steps);
        header.totals[2].is_used = 1;
        peak_notes_share(&header.totals[2]);
        assert_null(process.peak.noting);
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
    take(&model, 1, 100);
    give_back(&model, 1);
    assert_int_equal(header.peak_noted, 0);
    process.peak.copier = NULL;
    take(&model, 1, 200);
    give_back(&model, 1);
    assert_int_equal(header.peak_noted, 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(of_little_blocks, set_up),
        cmocka_unit_test_setup(of_large_blocks, set_up),
        cmocka_unit_test_setup(until_another_thread_comes, set_up),
        cmocka_unit_test_setup(
            a_signal_handler_that_finds_it_claimed_does_nothing, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
