/* SPDX-License-Identifier: Apache-2.0 */
/* page_map.c - see page_map.h */
#define _GNU_SOURCE
#include "ports/posix/page_map.h"

#include <fcntl.h>
#include <linux/futex.h>

#include "ports/posix/raw_calls.h"

#define PRESENT (UINT64_C(1) << 63)
#define SWAPPED (UINT64_C(1) << 62)

void page_map_open(struct page_map *map)
{
    map->fd = raw_open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    map->count = 0;
}

void page_map_close(struct page_map *map)
{
    if (map->fd >= 0)
        raw_close((int)map->fd);
    map->fd = -1;
}

static void read_from(struct page_map *map, uintptr_t number)
{
    long length = raw_call(SYS_pread64, map->fd, RAW_ARGUMENT(map->words),
                           sizeof map->words,
                           (long)(number * sizeof map->words[0]), 0, 0);

    map->first = number;
    map->count = length > 0 ? (size_t)length / sizeof map->words[0] : 0;
}

bool page_map_is_used(struct page_map *map, const void *page)
{
    uintptr_t number = (uintptr_t)page / PAGE_MAP_PAGE;

    if (map->fd < 0)
        return true;
    if (number - map->first >= map->count)
        read_from(map, number);
    return map->count == 0 ||
           (map->words[number - map->first] & (PRESENT | SWAPPED)) != 0;
}

/* The kernel compares the word with 0; it wakes or requeues no thread. */
bool readable_page(uintptr_t address)
{
    long page = (long)(address & ~((uintptr_t)PAGE_MAP_PAGE - 1));
    long result;

    if (sandbox_is_closed())
        return false;
    result =
        raw_call(SYS_futex, page, FUTEX_CMP_REQUEUE_PRIVATE, 0, 0, page, 0);
    return result == 0 || result == -11; /* EAGAIN: the word is not 0 */
}

bool readable_file(uintptr_t from, size_t size)
{
    uintptr_t last = (from + size - 1) & ~((uintptr_t)PAGE_MAP_PAGE - 1);

    if (sandbox_is_closed())
        return true;
    for (uintptr_t page = from & ~((uintptr_t)PAGE_MAP_PAGE - 1); page <= last;
         page += PAGE_MAP_PAGE) {
        if (!readable_page(page))
            return false;
    }
    return true;
}
