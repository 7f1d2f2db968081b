/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_site_peaks.c - peaks seen by reads, in the copy and in the live ledger
 */
#include "tool/session/sampling/sampling.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/fakes/fake_ledger.h"

enum { EXTENT = 65536 };

/* A ledger in a file at EXTENT, and the copy that was read. */
struct live {
    struct fake_ledger *ledger;
    struct ledger_snapshot snapshot;
    int fd;
    uint32_t first, second;
};

static int set_up(void **state)
{
    static struct live live;

    live.ledger = fake_ledger_create(2);
    live.first = fake_ledger_add_site(live.ledger, LEDGER_SITE_HEAP, 0, 1);
    /* The second site lies on another page. */
    for (uint32_t i = 0; i < 70; i++)
        live.second = fake_ledger_add_site(live.ledger, LEDGER_SITE_MAP, 0, i);
    live.snapshot.bytes = live.ledger->bytes;
    live.snapshot.size = live.ledger->size;
    live.snapshot.offset = EXTENT;
    live.fd = memfd_create("ledger", 0);
    assert_int_equal(
        pwrite(live.fd, live.ledger->bytes, live.ledger->size, EXTENT),
        (ssize_t)live.ledger->size);
    *state = &live;
    return 0;
}

static int tear_down(void **state)
{
    struct live *live = *state;

    close(live->fd);
    fake_ledger_destroy(live->ledger);
    return 0;
}

static void hold(struct live *live, uint32_t site, uint64_t allocated,
                 uint64_t freed)
{
    fake_ledger_counter(live->ledger, site, 0)->alloc_bytes = allocated;
    fake_ledger_counter(live->ledger, site, 1)->free_bytes = freed;
}

static void see_all(const struct live *live, int fd)
{
    struct ledger_snapshot snapshot = live->snapshot;
    struct ledger_totals totals;

    snapshot.fd = fd;
    assert_true(ledger_totals_read(&snapshot, 1, &totals));
}

static uint64_t copied(const struct live *live, uint32_t site)
{
    return fake_ledger_site(live->ledger, site)->peak_seen;
}

static uint64_t stored(const struct live *live, uint32_t site)
{
    struct ledger_site *record = fake_ledger_site(live->ledger, site);
    uint64_t at = (uint64_t)((unsigned char *)record - live->ledger->bytes);
    struct ledger_site read;

    assert_int_equal(pread(live->fd, &read, sizeof read, (off_t)(EXTENT + at)),
                     sizeof read);
    return read.peak_seen;
}

static void the_highest_reading_stays(void **state)
{
    struct live *live = *state;

    hold(live, live->first, 900, 200);
    hold(live, live->second, 8192, 0);
    see_all(live, live->fd);
    assert_int_equal(stored(live, live->first), 700);
    assert_int_equal(stored(live, live->second), 8192);
    hold(live, live->first, 900, 300);
    see_all(live, live->fd);
    assert_int_equal(stored(live, live->first), 700);
    hold(live, live->first, 1100, 300);
    see_all(live, live->fd);
    assert_int_equal(stored(live, live->first), 800);
    assert_int_equal(copied(live, live->first), 800);
}

/* Another reader has written the ledger since it was copied. */
static void a_higher_one_of_others_stays(void **state)
{
    struct live *live = *state;
    struct ledger_site *record = fake_ledger_site(live->ledger, live->first);
    uint64_t at = (uint64_t)((unsigned char *)record - live->ledger->bytes);
    uint64_t other = 5000;

    assert_int_equal(
        pwrite(live->fd, &other, sizeof other,
               (off_t)(EXTENT + at + offsetof(struct ledger_site, peak_seen))),
        sizeof other);
    hold(live, live->first, 900, 200);
    see_all(live, live->fd);
    assert_int_equal(stored(live, live->first), 5000);
}

static void the_copy_alone_without_a_file(void **state)
{
    struct live *live = *state;

    hold(live, live->first, 900, 200);
    see_all(live, -1);
    assert_int_equal(copied(live, live->first), 700);
    assert_int_equal(stored(live, live->first), 0);
}

static void the_copy_alone_where_we_may_not_write(void **state)
{
    struct live *live = *state;
    char path[64];
    int fd;

    snprintf(path, sizeof path, "/proc/self/fd/%d", live->fd);
    fd = open(path, O_RDONLY);
    assert_true(fd >= 0);
    hold(live, live->first, 900, 200);
    see_all(live, fd);
    close(fd);
    assert_int_equal(copied(live, live->first), 700);
    assert_int_equal(stored(live, live->first), 0);
}

/* A free was seen without its allocation. */
static void below_zero_is_no_peak(void **state)
{
    struct live *live = *state;

    hold(live, live->first, 100, 200);
    see_all(live, live->fd);
    assert_int_equal(stored(live, live->first), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_highest_reading_stays, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_higher_one_of_others_stays, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_copy_alone_without_a_file, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_copy_alone_where_we_may_not_write,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(below_zero_is_no_peak, set_up,
                                        tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
