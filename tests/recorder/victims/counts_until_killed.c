/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counts_until_killed.c - keep a count of allocations in a mapped file
 *
 * The argument names the file. Its first word is the number of allocations
 * started, its second the number finished; the file outlives the program.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "tests/recorder/victims/victim.h"

static void *in_loop(size_t size)
{
    return victim_keep(malloc(size));
}

int main(int argc, char **argv)
{
    volatile uint64_t *counts;
    int file;

    REQUIRE(argc == 2);
    file = open(argv[1], O_RDWR);
    REQUIRE(file >= 0);
    counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    REQUIRE(counts != MAP_FAILED);
    for (uint64_t i = 1;; i++) {
        void *block;

        counts[0] = i;
        block = in_loop(64);
        counts[1] = i;
        if (i % 100 != 0)
            free(block);
        if (i == 100000)
            victim_say("running\n");
    }
}
