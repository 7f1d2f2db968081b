/* SPDX-License-Identifier: Apache-2.0 */
/* page_map.c - see page_map.h */
#define _GNU_SOURCE
#include "ports/posix/memory/page_map.h"

#include <fcntl.h>

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
