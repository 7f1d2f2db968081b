/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tags_at_scale.c - cost of 4,000 tags and many blocks
 *
 * Compiled with tally/malloc.h. Allocate COUNT blocks, each with the next of
 * 4,000 tags or all at one line, and print the resident set in KiB and the
 * milliseconds of the fastest of several allocinfo_write().
 *
 * usage: tags_at_scale tags|blocks COUNT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "tally/alloc_tag.h"

enum { TAGS = 4000, BLOCK_SIZE = 64, ROUNDS = 25 };

static void *volatile kept;

/* Tags as made by DEFINE_ALLOC_TAG(), without the code of 4,000 hooks. */
static struct alloc_tag tags[TAGS]
    __attribute__((section("alloc_tags"), aligned(sizeof(void *)))) = {
        [0 ... TAGS - 1] = { __FILE__, "a_function", NULL, __LINE__, 0, 0, 0 },
    };

static long resident_kib(void)
{
    char line[128];
    long kib = -1;
    FILE *status = fopen("/proc/self/status", "r");

    while (status != NULL && fgets(line, sizeof line, status) != NULL)
        if (strncmp(line, "VmRSS:", 6) == 0)
            kib = atol(line + 6);
    if (status != NULL)
        fclose(status);
    return kib;
}

static double now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* Time writing into memory, as for a pipe's reader; negative on failure. */
static double text_ms(void)
{
    int fd = memfd_create("allocinfo", 0);
    double fastest = -1;

    for (int round = 0; fd >= 0 && round < ROUNDS; round++) {
        double begin = now_ms(), took;

        if (lseek(fd, 0, SEEK_SET) != 0 || allocinfo_write(fd) != 0)
            break;
        took = now_ms() - begin;
        if (fastest < 0 || took < fastest)
            fastest = took;
    }
    return fastest;
}

int main(int argc, char **argv)
{
    long count = argc == 3 ? atol(argv[2]) : -1;

    if (count < 0) {
        fprintf(stderr, "usage: tags_at_scale tags|blocks COUNT\n");
        return 2;
    }
    kept = malloc(BLOCK_SIZE); /* the fixed cost of recording */
    for (long i = 0; strcmp(argv[1], "tags") == 0 && i < count; i++)
        kept = alloc_hooks_tag(&tags[i % TAGS], malloc_noprof(BLOCK_SIZE));
    for (long i = 0; strcmp(argv[1], "blocks") == 0 && i < count; i++)
        kept = malloc(BLOCK_SIZE);
    printf("%ld %.3f\n", resident_kib(), text_ms());
    return 0;
}
