/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page_map.h - find readable pages and pages in use
 *
 * Tally's tables are large and sparse. Reading a page that was never written
 * causes a fault and allocates it. So the kernel is asked: /proc/self/pagemap
 * has a word for each page, which is not zero if the page is in memory or in
 * swap. If it cannot be read, every page counts as used.
 *
 * One thread at a time may use a map.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PAGE_MAP_BATCH = 256, PAGE_MAP_PAGE = 4096 };

struct page_map {
    long fd;         /* negative: not readable */
    uintptr_t first; /* page number of words[0]; unread words are 0 */
    uint64_t words[PAGE_MAP_BATCH];
    size_t count; /* words read */
};

void page_map_open(struct page_map *map);
void page_map_close(struct page_map *map);

/* Return true if the page at `page` may contain anything but zeros. */
bool page_map_is_used(struct page_map *map, const void *page);

/*
 * Check if memory is readable now, by a system call that reads 4 bytes and has
 * no effect. The result may be out of date at once if another thread unmaps
 * memory. Any thread.
 */

/* Check the page of `address`. Return false, too, if the program must not call
   the kernel. */
bool readable_page(uintptr_t address);

/* Check all pages of `size` bytes, at least 1, of a loaded file. Return true if
   the program must not call the kernel: such pages hardly ever disappear. */
bool readable_file(uintptr_t from, size_t size);
