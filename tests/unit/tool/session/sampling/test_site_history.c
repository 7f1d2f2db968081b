/* SPDX-License-Identifier: Apache-2.0 */
/* test_site_history.c - compared with a plain array of all accounts at all
   times */
#include "tool/session/sampling/sampling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "format/ledger/session_layout.h"

enum { SITES = 300, ROUNDS = 1500 };

static struct ledger_counter model[ROUNDS][SITES];
static uint64_t held[ROUNDS];

static unsigned draw(unsigned limit)
{
    static uint32_t state = 12345;

    state = state * 1664525 + 1013904223;
    return (state >> 8) % limit;
}

/* Most sites change in few rounds, by small and by very large amounts. */
static void change(struct ledger_counter *sites, uint64_t *live)
{
    for (unsigned i = draw(40); i > 0; i--) {
        struct ledger_counter *site = &sites[1 + draw(SITES - 1)];
        uint64_t bytes = (uint64_t)draw(1000) << draw(40);

        site->alloc_blocks++;
        site->alloc_bytes += bytes;
        *live += bytes;
        if (draw(2) == 0) {
            site->free_blocks++;
            site->free_bytes += bytes;
            *live -= bytes;
        }
    }
}

static bool add_round(struct site_history *history, unsigned round)
{
    if (round > 0) {
        memcpy(model[round], model[round - 1], sizeof model[round]);
        held[round] = held[round - 1];
    }
    change(model[round], &held[round]);
    for (uint32_t i = 1; i < SITES; i++)
        site_history_note(history, i, &model[round][i]);
    return site_history_add(history, 1000 + round, held[round]);
}

/* Check that the rest is unchanged. */
static void check(const struct site_history *history)
{
    static struct ledger_counter sum[SITES];

    memset(sum, 0, sizeof sum);
    for (uint32_t i = 0; i < history->count; i++) {
        struct ledger_run run =
            ledger_run_of(history->runs, history->instants, i);
        uint64_t round = history->instants[i].ns - 1000;
        struct ledger_change change;
        uint32_t before = 0;
        int found;

        while ((found = ledger_run_next(&run, &change)) > 0) {
            assert_true(change.site > before && change.site < SITES);
            before = change.site;
            sum[change.site].alloc_blocks += change.grown[0];
            sum[change.site].alloc_bytes += change.grown[1];
            sum[change.site].free_blocks += change.grown[2];
            sum[change.site].free_bytes += change.grown[3];
        }
        assert_int_equal(0, found);
        assert_int_equal(held[round], history->instants[i].live_bytes);
        assert_memory_equal(model[round], sum, sizeof sum);
    }
}

static void merged_pairs_are_what_was_there(void **state)
{
    struct site_history history = { 0 };
    unsigned times = 0, highest = 0;
    bool has_highest = false;

    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        bool is_coarser = add_round(&history, round);

        assert_true(history.count <= LEDGER_INSTANT_CAPACITY);
        assert_int_equal(1000 + round, history.instants[history.count - 1].ns);
        if (is_coarser || round + 1 == ROUNDS)
            check(&history);
        times += is_coarser;
        highest = held[round] > held[highest] ? round : highest;
    }
    assert_in_range(times, 8, 11);
    for (uint32_t i = 0; i < history.count; i++)
        has_highest |= history.instants[i].ns == 1000 + highest;
    assert_true(has_highest);
    site_history_free(&history);
}

static void what_did_not_change_takes_no_room(void **state)
{
    struct site_history history = { 0 };
    const struct ledger_counter held_for_ever = { 1, 100, 0, 0 };

    (void)state;
    for (uint32_t i = 1; i <= 1000; i++)
        site_history_note(&history, i, &held_for_ever);
    history.resident = 8192;
    site_history_add(&history, 5, 100000);
    assert_int_equal(5000, history.instants[0].end);
    assert_int_equal(8192, history.instants[0].resident);
    for (uint32_t i = 1; i <= 1000; i++)
        site_history_note(&history, i, &held_for_ever);
    site_history_add(&history, 6, 100000);
    assert_int_equal(5000, history.instants[1].end);
    assert_int_equal(0, history.instants[1].resident);
    site_history_free(&history);
}

/* All sites change each time: the history gets coarser until it fits, and stays
   correct. */
static void check_bounds(uint64_t live, uint64_t growth, uint64_t amount)
{
    const uint32_t sites = 200000;
    struct site_history history = { 0 };
    bool is_coarser = false;

    for (uint64_t round = 1; round <= 12; round++, live += growth) {
        const struct ledger_counter counter = { round * amount, round * amount,
                                                round * amount,
                                                round * amount };

        for (uint32_t i = 1; i < sites; i++)
            site_history_note(&history, i, &counter);
        is_coarser |= site_history_add(&history, round, live);
        assert_true(history.count > 0);
        assert_true(history.instants[history.count - 1].end <=
                    SITE_HISTORY_BYTES);
    }
    assert_true(is_coarser);
    assert_int_equal(12, history.instants[history.count - 1].ns);
    site_history_free(&history);
}

static void bytes_are_bounded(void **state)
{
    (void)state;
    check_bounds(1, 1, 1 << 20);
}

/* If two are too large, the latest stays, even if it is the lower one. */
static void bytes_are_bounded_while_it_shrinks(void **state)
{
    (void)state;
    check_bounds(100, UINT64_MAX, UINT64_C(1) << 56);
}

static void sites_without_room_are_counted(void **state)
{
    struct site_history history = { 0 };

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        site_history_note(&history, 3,
                          &(struct ledger_counter){ i + 1, 0, 0, 0 });
        site_history_note(&history, 1u << 20, &(struct ledger_counter){ 0 });
        site_history_add(&history, 1 + i, 0);
        assert_int_equal(1, history.left_out);
    }
    assert_int_equal(2, history.count);
    site_history_free(&history);
}

static void a_clock_that_is_set_back_goes_on(void **state)
{
    struct site_history history = { 0 };

    (void)state;
    site_history_add(&history, 100, 0);
    site_history_add(&history, 50, 0);
    assert_int_equal(101, history.instants[1].ns);
    site_history_free(&history);
}

/* A memfd as long as a session with one ledger. */
static struct ledger_snapshot take(int fd)
{
    struct ledger_snapshot snapshot;

    assert_int_equal(
        0, ledger_snapshot_make_empty(&snapshot, "/bin/x", (char *[]){ NULL }));
    snapshot.fd = fd;
    snapshot.offset = SESSION_EXTENT_SIZE;
    return snapshot;
}

/* Return 1 if there is a history, and store the time of its latest snapshot. */
static int fetched(int fd, uint64_t *ns)
{
    struct ledger_snapshot snapshot = take(fd);
    struct ledger_history_view view;
    struct ledger_reader reader;
    int found;

    site_history_fetch(&snapshot);
    assert_int_equal(
        0, ledger_reader_open(&reader, snapshot.bytes, snapshot.size));
    found = ledger_reader_history(&reader, &view);
    if (found > 0)
        *ns = view.instants[view.count - 1].ns;
    ledger_snapshot_free(&snapshot);
    return found;
}

/* Continue the history of a writer that published two snapshots. */
static void go_on(int fd)
{
    struct ledger_snapshot snapshot = take(fd);
    struct site_history history = { 0 };
    uint64_t ns = 0;

    site_history_resume(&history, &snapshot);
    assert_int_equal(2, history.count);
    assert_int_equal(2, history.sites[3].last[0]);
    site_history_note(&history, 3, &(struct ledger_counter){ 7, 0, 0, 0 });
    site_history_add(&history, 300, 0);
    site_history_publish(&history, &snapshot);
    ledger_snapshot_free(&snapshot);
    assert_int_equal(1, fetched(fd, &ns));
    assert_int_equal(300, ns);
    site_history_free(&history);
}

static void what_is_published_is_read_whole_or_not_at_all(void **state)
{
    struct site_history history = { 0 };
    int fd = memfd_create("session", 0);
    struct session_history head = { .size = SESSION_HISTORY_LIMIT + 1 };
    uint64_t ns = 0;

    (void)state;
    assert_int_equal(0, ftruncate(fd, 2 * SESSION_EXTENT_SIZE));
    assert_int_equal(0, fetched(fd, &ns));
    for (uint64_t i = 1; i < 3; i++) {
        struct ledger_snapshot snapshot = take(fd);

        site_history_note(&history, 3, &(struct ledger_counter){ i, 0, 0, 0 });
        site_history_add(&history, 100 * i, 0);
        site_history_publish(&history, &snapshot);
        ledger_snapshot_free(&snapshot);
        assert_int_equal(1, fetched(fd, &ns));
        assert_int_equal(100 * i, ns);
    }
    site_history_free(&history);
    go_on(fd);
    /* A history left by a killed writer, and one that is too large. */
    assert_int_equal(
        8, pwrite(fd, &head.ns, 8, SESSION_EXTENT_SIZE + SESSION_HISTORY));
    assert_int_equal(0, fetched(fd, &ns));
    head.ns = 1;
    assert_int_equal(
        sizeof head,
        pwrite(fd, &head, sizeof head, SESSION_EXTENT_SIZE + SESSION_HISTORY));
    assert_int_equal(0, fetched(fd, &ns));
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merged_pairs_are_what_was_there),
        cmocka_unit_test(what_did_not_change_takes_no_room),
        cmocka_unit_test(bytes_are_bounded),
        cmocka_unit_test(bytes_are_bounded_while_it_shrinks),
        cmocka_unit_test(sites_without_room_are_counted),
        cmocka_unit_test(a_clock_that_is_set_back_goes_on),
        cmocka_unit_test(what_is_published_is_read_whole_or_not_at_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
