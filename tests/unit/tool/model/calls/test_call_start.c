/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_call_start.c - logs of simulated devices: boots are found, loops are not
 *
 * A device has an allocator that hands out its lowest free block. Its first
 * calls are equal at each boot; then its seed decides.
 */
#include "tool/model/calls/calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/fakes/random_sequence.h"

enum { BLOCKS = 64, MOST_EVENTS = 4096, DEVICES = 2000 };

struct device {
    bool is_out[BLOCKS];
    struct mem_trace_event events[MOST_EVENTS];
    size_t count;
};

static void add(struct device *device, struct mem_trace_event event)
{
    if (device->count < MOST_EVENTS)
        device->events[device->count++] = event;
}

static unsigned allocate(struct device *device, uint64_t caller, uint64_t size)
{
    unsigned block = 0;

    while (block < BLOCKS - 1 && device->is_out[block])
        block++;
    device->is_out[block] = true;
    add(device, (struct mem_trace_event){ .op = MEM_TRACE_MALLOC,
                                          .result = 0x20000000 + block * 64,
                                          .caller = caller,
                                          .size = size });
    return block;
}

static void release(struct device *device, unsigned block)
{
    if (!device->is_out[block])
        return;
    device->is_out[block] = false;
    add(device, (struct mem_trace_event){ .op = MEM_TRACE_FREE,
                                          .caller = 0x999,
                                          .pointer = 0x20000000 + block * 64 });
}

/* Make the first calls of a program: one of `temporary` of them is freed at
   once; at least two stay. */
static void start(struct device *device, uint64_t program, unsigned temporary)
{
    struct random_sequence random = { program };
    unsigned calls = 3 + random_below(&random, 20);

    memset(device->is_out, 0, sizeof device->is_out);
    for (unsigned i = 0; i < calls; i++) {
        uint64_t caller = 0x100 + random_below(&random, 4);
        unsigned block =
            allocate(device, caller, 1 + random_below(&random, 60));

        if (i + 2 < calls && random_below(&random, temporary) == 0)
            release(device, block);
    }
}

/* Go on at random. */
static void run(struct device *device, struct random_sequence *random)
{
    unsigned calls = random_below(random, 300);

    for (unsigned i = 0; i < calls; i++) {
        unsigned block = random_below(random, BLOCKS);

        /* Blocks of the start stay. */
        if (random_below(random, 2) == 0 || block < 24)
            (void)allocate(device, 0x200 + random_below(random, 8),
                           1 + random_below(random, 60));
        else
            release(device, block);
    }
}

static struct call_accounts *account(const struct mem_trace_event *events,
                                     size_t count)
{
    struct call_accounts *accounts = calloc(1, sizeof *accounts);

    assert_non_null(accounts);
    for (size_t i = 0; i < count; i++)
        call_accounts_add(accounts, &events[i]);
    return accounts;
}

static void finish(struct call_accounts *accounts)
{
    call_accounts_close(accounts);
    free(accounts);
}

static void assert_same(const struct call_accounts *all,
                        const struct call_accounts *last)
{
    assert_memory_equal(&all->sum, &last->sum, sizeof all->sum);
    assert_int_equal(all->site_count, last->site_count);
    assert_int_equal(all->events, last->events);
    assert_int_equal(all->foreign_frees, last->foreign_frees);
    assert_int_equal(all->lost_frees, last->lost_frees);
    assert_int_equal(all->peak_place, last->peak_place);
    assert_int_equal(all->line.count, last->line.count);
    assert_int_equal(call_accounts_live_bytes(all),
                     call_accounts_live_bytes(last));
}

static void the_last_boot_counts_from_zero(void **state)
{
    static struct device device;

    (void)state;
    for (unsigned seed = 1; seed <= DEVICES; seed++) {
        struct random_sequence random = { seed };
        unsigned boots = 1 + random_below(&random, 4);
        struct call_accounts *all, *last;
        size_t begin = 0;

        device.count = 0;
        for (unsigned boot = 0; boot < boots; boot++) {
            begin = device.count;
            start(&device, seed, 2 + seed % 5);
            run(&device, &random);
        }
        all = account(device.events, device.count);
        last = account(device.events + begin, device.count - begin);
        if (all->earlier_boots != boots - 1)
            fail_msg("seed %u: %u boots, not %u", seed,
                     (unsigned)all->earlier_boots + 1, boots);
        assert_same(all, last);
        finish(all);
        finish(last);
    }
}

/* Text of the system tells of a boot that the calls do not show. */
static void text_begins_a_boot(void **state)
{
    static struct device device;
    struct call_accounts *all, *last;
    size_t begin;

    (void)state;
    device.count = 0;
    start(&device, 1, 2);
    begin = device.count;
    start(&device, 2, 2);
    device.events[begin].is_after_boot = true;
    all = account(device.events, device.count);
    last = account(device.events + begin, device.count - begin);
    assert_int_equal(all->earlier_boots, 1);
    assert_int_equal(last->earlier_boots, 1);
    assert_same(all, last);
    finish(all);
    finish(last);
}

/* Lines are lost, one in `rate`, from the event `from` on. */
static void assert_one_boot(const struct device *device, unsigned seed,
                            size_t from, unsigned rate)
{
    static struct device received;
    struct random_sequence random = { seed };
    struct call_accounts *accounts;

    received.count = 0;
    for (size_t i = 0; i < device->count; i++) {
        if (i < from || random_below(&random, rate) != 0)
            add(&received, device->events[i]);
    }
    accounts = account(received.events, received.count);
    if (accounts->earlier_boots != 0)
        fail_msg("seed %u: %u boots, not 1", seed,
                 (unsigned)accounts->earlier_boots + 1);
    finish(accounts);
}

static void lost_lines_are_no_boot(void **state)
{
    static struct device device;

    (void)state;
    for (unsigned seed = 1; seed <= DEVICES; seed++) {
        struct random_sequence random = { seed };

        device.count = 0;
        start(&device, seed, 2);
        run(&device, &random);
        run(&device, &random);
        assert_one_boot(&device, seed, 0, 2 + seed % 40);
    }
}

/* The log begins with a loop. */
static void lost_lines_of_a_loop_are_no_boot(void **state)
{
    static struct device device;

    (void)state;
    for (unsigned seed = 1; seed <= DEVICES; seed++) {
        struct random_sequence random = { seed };
        unsigned calls = 1 + random_below(&random, 6);

        device.count = 0;
        memset(device.is_out, 0, sizeof device.is_out);
        for (unsigned round = 0; round < 100; round++) {
            for (unsigned i = 0; i < calls; i++)
                (void)allocate(&device, 0x300 + i, 8 + i);
            for (unsigned i = calls; i-- > 0;)
                release(&device, i);
        }
        assert_one_boot(&device, seed, 64 + 2 * (size_t)calls, 2 + seed % 40);
    }
}

static void one_call_again_is_a_lost_free(void **state)
{
    static struct device device;
    struct call_accounts *accounts;

    (void)state;
    device.count = 0;
    for (unsigned i = 0; i < 2; i++) {
        memset(device.is_out, 0, sizeof device.is_out);
        (void)allocate(&device, 1, 50);
    }
    accounts = account(device.events, device.count);
    assert_int_equal(accounts->earlier_boots, 0);
    assert_int_equal(accounts->lost_frees, 1);
    assert_int_equal(call_accounts_live_bytes(accounts), 50);
    finish(accounts);
}

/* Events with times are of tally record, whose processes do not boot. */
static void calls_with_times_are_of_one_run(void **state)
{
    static struct device device;
    struct call_accounts *accounts;

    (void)state;
    device.count = 0;
    start(&device, 7, 2);
    start(&device, 7, 2);
    for (size_t i = 0; i < device.count; i++) {
        device.events[i].has_time = true;
        device.events[i].time_ns = i;
    }
    accounts = account(device.events, device.count);
    assert_int_equal(accounts->earlier_boots, 0);
    assert_int_equal(accounts->events, device.count);
    finish(accounts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_boot_counts_from_zero),
        cmocka_unit_test(text_begins_a_boot),
        cmocka_unit_test(lost_lines_are_no_boot),
        cmocka_unit_test(lost_lines_of_a_loop_are_no_boot),
        cmocka_unit_test(one_call_again_is_a_lost_free),
        cmocka_unit_test(calls_with_times_are_of_one_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
