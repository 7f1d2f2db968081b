/* SPDX-License-Identifier: Apache-2.0 */
/*
 * grows.c - allocate and touch blocks of 1 MiB, report, and wait for a line
 *
 *     grows MIB [MIB of address space beyond the initial size, or 0
 *                [MIB of the limit set by limits_set_global()]]
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { BLOCK = 1 << 20 };

static void limit_growth(rlim_t bytes)
{
    struct rlimit limit = { 0 };
    unsigned long pages;
    FILE *file = fopen("/proc/self/statm", "r");

    if (file == NULL || fscanf(file, "%lu", &pages) != 1)
        exit(99);
    fclose(file);
    limit.rlim_cur = limit.rlim_max = pages * 4096 + bytes;
    if (setrlimit(RLIMIT_AS, &limit) < 0)
        exit(99);
}

static void limit_held(int64_t bytes)
{
    void (*set)(int64_t live_bytes) = NULL;

    *(void **)&set = dlsym(RTLD_DEFAULT, "limits_set_global");
    if (set == NULL)
        exit(99);
    set(bytes);
}

static void *grow(void)
{
    void *block = malloc(BLOCK);

    if (block != NULL)
        memset(block, 1, BLOCK);
    return block;
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 0;

    if (argc > 2 && atoi(argv[2]) != 0)
        limit_growth((rlim_t)atoi(argv[2]) << 20);
    if (argc > 3)
        limit_held((int64_t)atoi(argv[3]) << 20);
    while (count > 0 && grow() != NULL)
        count--;
    puts(count == 0 ? "grown" : "refused");
    fflush(stdout);
    return getchar() == EOF;
}
