/* SPDX-License-Identifier: Apache-2.0 */
/* test_page_map.c - written and unwritten pages */
#include "ports/posix/page_map.h"
#include "tests/fakes/skip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { PAGES = 3 * PAGE_MAP_BATCH, SIZE = PAGES * PAGE_MAP_PAGE };

static char *pages;

static int map_pages(void **state)
{
    (void)state;
    pages = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED)
        return -1;
    madvise(pages, SIZE, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < PAGES; i += 7)
        pages[i * PAGE_MAP_PAGE] = 1;
    return 0;
}

static int unmap_pages(void **state)
{
    (void)state;
    return munmap(pages, SIZE);
}

/* Return the number of wrong pages. */
static int count_wrong(void)
{
    struct page_map map;
    int wrong = 0;

    page_map_open(&map);
    for (size_t i = 0; i < PAGES; i++)
        wrong +=
            page_map_is_used(&map, pages + i * PAGE_MAP_PAGE) != (i % 7 == 0);
    page_map_close(&map);
    return wrong;
}

static void written_pages_are_used_and_others_are_not(void **state)
{
    struct page_map map;

    (void)state;
    page_map_open(&map);
    if (map.fd < 0)
        SKIP("/proc/self/pagemap cannot be read; mount all of /proc");
    page_map_close(&map);
    assert_int_equal(count_wrong(), 0);
}

static void a_forked_child_sees_its_parents(void **state)
{
    int status;
    pid_t child = fork();

    (void)state;
    if (child == 0)
        _exit(count_wrong() != 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void without_a_map_every_page_is_used(void **state)
{
    struct page_map map;

    (void)state;
    page_map_open(&map);
    page_map_close(&map);
    assert_true(page_map_is_used(&map, pages + PAGE_MAP_PAGE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_pages_are_used_and_others_are_not),
        cmocka_unit_test(a_forked_child_sees_its_parents),
        cmocka_unit_test(without_a_map_every_page_is_used),
    };

    return skip_status(cmocka_run_group_tests(tests, map_pages, unmap_pages));
}
