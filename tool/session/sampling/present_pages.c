/* SPDX-License-Identifier: Apache-2.0 */
/* present_pages.c - see present_pages.h, and pagemap of the kernel's documents */
#include "tool/session/sampling/present_pages.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES_IN_TURN = 512 };

#define IS_PRESENT           (UINT64_C(1) << 63)
#define MOST_PAGES_LOOKED_AT (UINT64_C(1) << 22) /* 16 GiB */

void present_pages_open(struct present_pages *pages, pid_t pid)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%ld/pagemap", (long)pid);
    pages->fd = open(path, O_RDONLY | O_CLOEXEC);
}

void present_pages_close(struct present_pages *pages)
{
    if (pages->fd >= 0)
        close(pages->fd);
    pages->fd = -1;
}

/* Of `count` pages from number `page` on. */
static bool count_turn(const struct present_pages *pages, uint64_t page,
                       size_t count, uint64_t *bytes)
{
    uint64_t words[PAGES_IN_TURN];
    ssize_t got = pread(pages->fd, words, count * sizeof *words,
                        (off_t)(page * sizeof *words));

    if (got != (ssize_t)(count * sizeof *words))
        return false;
    for (size_t i = 0; i < count; i++)
        *bytes += (words[i] & IS_PRESENT) != 0 ? PAGE : 0;
    return true;
}

bool present_pages_count(const struct present_pages *pages, uint64_t start,
                         uint64_t end, uint64_t *bytes)
{
    uint64_t page = start / PAGE, limit = end / PAGE;

    *bytes = 0;
    if (pages->fd < 0 || limit - page > MOST_PAGES_LOOKED_AT)
        return false;
    for (; page < limit; page += PAGES_IN_TURN) {
        uint64_t left = limit - page;

        if (!count_turn(pages, page,
                        left < PAGES_IN_TURN ? (size_t)left : PAGES_IN_TURN,
                        bytes))
            return false;
    }
    return true;
}
