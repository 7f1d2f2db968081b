/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page_map.h - which pages can be read, and which of our own hold anything
 *
 * Sparse tables are mapped large and filled thinly. To look at a page that was
 * never written costs a fault, and makes it be there. The kernel knows better:
 * /proc/self/pagemap has a word for each page that is not zero when the page is
 * in memory or in swap. Where that cannot be read every page counts as used.
 *
 * One thread at a time looks at a map.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PAGE_MAP_BATCH = 256, PAGE_MAP_PAGE = 4096 };

struct page_map {
    long fd;         /* below 0: not to be read */
    uintptr_t first; /* page number of words[0]; what is not read is 0 */
    uint64_t words[PAGE_MAP_BATCH];
    size_t count; /* words that were read */
};

void page_map_open(struct page_map *map);
void page_map_close(struct page_map *map);

/* Whether the page at `page` may hold anything but zeros. */
bool page_map_is_used(struct page_map *map, const void *page);

/*
 * Whether memory can be read now: the kernel is asked by a call that reads 4
 * bytes and does nothing. What it says may be otherwise the next moment, where
 * another thread unmaps. Any thread.
 */

/* The page of `address`. False also where the program may not ask. */
bool readable_page(uintptr_t address);

/*
 * All pages of `size` bytes, at least 1, of a file that was loaded; true where
 * the program may not ask, for they hardly ever go away.
 */
bool readable_file(uintptr_t from, size_t size);
