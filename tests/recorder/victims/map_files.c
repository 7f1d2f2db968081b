/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map_files.c - one call that maps files and memory alternately
 *
 * File mappings are counted separately, with whole stacks, and are in no peak.
 * Bytes that are mapped over or unmapped are subtracted.
 */
#include <fcntl.h>
#include <sys/mman.h>

#include "tests/recorder/victims/victim.h"

enum { PAGE = 4096 };

static char *map(int fd, size_t pages, int shared)
{
    void *mapped = mmap(NULL, pages * PAGE, PROT_READ,
                        shared | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);

    REQUIRE(mapped != MAP_FAILED);
    return victim_keep(mapped);
}

int main(void)
{
    int fd = open("/proc/self/exe", O_RDONLY);
    char *first;

    REQUIRE(fd >= 0);
    for (int i = 0; i < 3; i++) {
        first = map(fd, 3, MAP_PRIVATE);
        map(-1, 2, MAP_PRIVATE);
    }
    map(fd, 1, MAP_SHARED);
    REQUIRE(munmap(first + PAGE, PAGE) == 0);
    REQUIRE(mmap(first, PAGE, PROT_READ,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == first);
    return 0;
}
