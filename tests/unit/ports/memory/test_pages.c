/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_pages.c - the kernel's flags of Tally's own memory
 *
 * VmFlags of /proc/self/smaps: dd is kept out of core files, nh is never a huge
 * page, lo is locked.
 */
#include "ports/posix/memory/pages.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "ports/posix/raw_calls.h"
#include "tally/port.h"
#include "tests/fakes/skip.h"

enum { SIZE = 3 * 4096 };

static bool is_closed;

bool sandbox_is_closed(void)
{
    return is_closed;
}

/* Return the VmFlags line of the mapping that contains `address`, or "". */
static void read_flags(const void *address, char *flags, size_t size)
{
    FILE *maps = fopen("/proc/self/smaps", "re");
    char line[512];
    int is_ours = 0;

    assert_non_null(maps);
    flags[0] = '\0';
    while (flags[0] == '\0' && fgets(line, sizeof line, maps) != NULL) {
        unsigned long start, end;

        if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
            is_ours = (uintptr_t)address >= start && (uintptr_t)address < end;
        else if (is_ours && strncmp(line, "VmFlags:", 8) == 0)
            snprintf(flags, size, "%s", line + 8);
    }
    fclose(maps);
}

static bool has_flag(const void *address, const char *flag)
{
    char flags[512];

    read_flags(address, flags, sizeof flags);
    assert_true(flags[0] != '\0');
    return strstr(flags, flag) != NULL;
}

static unsigned char *take_pages(void)
{
    unsigned char *pages = tally_port_pages_alloc(SIZE);

    assert_non_null(pages);
    assert_int_equal((uintptr_t)pages % 4096, 0);
    for (size_t i = 0; i < SIZE; i++)
        assert_int_equal(pages[i], 0);
    memset(pages, 0xff, SIZE);
    return pages;
}

static void pages_are_zeroed_and_given_back(void **state)
{
    unsigned char *pages = take_pages();
    char flags[512];

    (void)state;
    tally_port_pages_free(pages, SIZE);
    read_flags(pages, flags, sizeof flags);
    assert_string_equal(flags, "");
}

static void pages_that_are_forgotten_hold_no_memory(void **state)
{
    unsigned char *pages = take_pages();
    unsigned char there[SIZE / 4096 + 1] = { 0 };

    (void)state;
    tally_port_pages_forget(pages, SIZE);
    assert_int_equal(mincore(pages, SIZE, there), 0);
    for (size_t i = 0; i < sizeof there; i++)
        assert_int_equal(there[i] & 1, 0);
    for (size_t i = 0; i < SIZE; i++)
        assert_int_equal(pages[i], 0);
    tally_port_pages_free(pages, SIZE);
}

static void pages_stay_out_of_core_files_and_huge_pages(void **state)
{
    unsigned char *pages = take_pages();

    (void)state;
    assert_true(has_flag(pages, " dd"));
    assert_true(has_flag(pages, " nh"));
    tally_port_pages_free(pages, SIZE);
}

static void in_a_sandbox_only_an_allocators_calls_are_made(void **state)
{
    unsigned char *pages;

    (void)state;
    is_closed = true;
    pages = take_pages();
    is_closed = false;
    assert_false(has_flag(pages, " dd"));
    tally_port_pages_free(pages, SIZE);
}

static void a_refused_request_is_null_and_leaves_errno(void **state)
{
    (void)state;
    errno = 4321;
    assert_null(tally_port_pages_alloc((size_t)1 << 60));
    pages_set_locking(true);
    assert_null(tally_port_pages_alloc((size_t)1 << 60));
    pages_set_locking(false);
    assert_int_equal(errno, 4321);
}

#if !IS_SANITIZED /* sanitizers make mlock() do nothing */
static void pages_are_not_locked_after_mlockall(void **state)
{
    unsigned char *before = take_pages();
    unsigned char *after;

    (void)state;
    assert_false(pages_are_locked());
    if (mlockall(MCL_FUTURE) != 0 || mlock(before, SIZE) != 0 ||
        !has_flag(before, " lo")) {
        tally_port_pages_free(before, SIZE);
        SKIP("no memory can be locked; ulimit -Hl unlimited");
    }
    pages_set_locking(true);
    assert_true(pages_are_locked());
    after = take_pages();
    pages_unlock(before, SIZE);
    assert_false(has_flag(before, " lo"));
    assert_false(has_flag(after, " lo"));
    munlockall();
    pages_set_locking(false);
    tally_port_pages_free(before, SIZE);
    tally_port_pages_free(after, SIZE);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_zeroed_and_given_back),
        cmocka_unit_test(pages_that_are_forgotten_hold_no_memory),
        cmocka_unit_test(pages_stay_out_of_core_files_and_huge_pages),
        cmocka_unit_test(in_a_sandbox_only_an_allocators_calls_are_made),
        cmocka_unit_test(a_refused_request_is_null_and_leaves_errno),
#if !IS_SANITIZED
        cmocka_unit_test(pages_are_not_locked_after_mlockall),
#endif
    };

    return skip_status(cmocka_run_group_tests(tests, NULL, NULL));
}
