/* SPDX-License-Identifier: Apache-2.0 */
/*
 * many_mappings.c - blocks that malloc maps one below the other
 *
 * The kernel merges them into one or two mappings. The recorder's mappings must
 * not lie between them: a process may have 65,530 mappings, and then malloc
 * fails.
 */
#include <fcntl.h>
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

enum { BLOCKS = 1000, BLOCK_SIZE = 5 << 20, FEW = 400 };

static int count_mappings(void)
{
    static char text[4096];
    int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    int count = 0;
    ssize_t length;

    REQUIRE(fd >= 0);
    while ((length = read(fd, text, sizeof text)) > 0) {
        for (ssize_t i = 0; i < length; i++)
            count += text[i] == '\n';
    }
    close(fd);
    return count;
}

static void *request(void)
{
    return victim_keep(malloc(BLOCK_SIZE));
}

int main(void)
{
    static void *blocks[BLOCKS];

    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = request();
        REQUIRE(blocks[i] != NULL);
    }
    REQUIRE(count_mappings() < FEW);
    for (int i = 0; i < BLOCKS; i++)
        free(blocks[i]);
    return 0;
}
