/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory_of_stacks.c - many threads at once, and the memory of their stacks'
 * records
 *
 * usage: memory_of_stacks THREADS STACKS
 *
 * Each thread allocates from its share of the stacks, and from 20 more. When
 * all have, print two numbers: mapped KiB of the ledger, and KiB of anonymous
 * memory without the threads' stacks, which lie in a mapping of the program.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "tests/recorder/victims/many_ways.h"

enum { BITS = 17, AGAIN = 20, STACK = 65536 };

static unsigned long threads, stacks;
static pthread_barrier_t all_have, all_may_end;
static char *stack_space;

static __attribute__((noinline)) void ask(void)
{
    free(victim_keep(malloc(40)));
}

static void *go_ways(void *which)
{
    unsigned long first = (uintptr_t)which;

    for (unsigned long number = first; number < stacks; number += threads)
        go_way(number, BITS);
    for (unsigned long i = 0; i < AGAIN; i++)
        go_way((first + i) % stacks, BITS);
    pthread_barrier_wait(&all_have);
    pthread_barrier_wait(&all_may_end);
    return NULL;
}

enum kind { OTHER, LEDGER, ANONYMOUS, KINDS };

static enum kind kind_of(uintptr_t start, const char *name)
{
    uintptr_t space = (uintptr_t)stack_space;

    if (start >= space && start < space + threads * STACK)
        return OTHER;
    if (strncmp(name, "/memfd:", 7) == 0)
        return LEDGER;
    return name[0] == '\0' || name[0] == '[' ? ANONYMOUS : OTHER;
}

static void print_memory(void)
{
    FILE *file = fopen("/proc/self/smaps", "r");
    long sums[KINDS] = { 0 };
    enum kind kind = OTHER;
    char line[512];

    REQUIRE(file != NULL);
    while (fgets(line, sizeof line, file) != NULL) {
        char name[256] = "";
        unsigned long start, end;
        long kib;

        if (sscanf(line, "%lx-%lx %*s %*s %*s %*s %255s", &start, &end, name) >=
            2)
            kind = kind_of(start, name);
        else if (sscanf(line, "Rss: %ld kB", &kib) == 1)
            sums[kind] += kib;
    }
    fclose(file);
    printf("%ld %ld\n", sums[LEDGER], sums[ANONYMOUS]);
}

int main(int argc, char **argv)
{
    pthread_attr_t attributes;
    pthread_t *started;

    REQUIRE(argc == 3);
    threads = strtoul(argv[1], NULL, 10);
    stacks = strtoul(argv[2], NULL, 10);
    REQUIRE(threads > 0 && stacks > 0 && stacks <= 1ul << BITS);
    started = malloc(threads * sizeof *started);
    stack_space = mmap(NULL, threads * STACK, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    REQUIRE(started != NULL && stack_space != MAP_FAILED);
    pthread_barrier_init(&all_have, NULL, (unsigned)threads + 1);
    pthread_barrier_init(&all_may_end, NULL, (unsigned)threads + 1);
    pthread_attr_init(&attributes);
    for (unsigned long i = 0; i < threads; i++) {
        REQUIRE(pthread_attr_setstack(&attributes, stack_space + i * STACK,
                                      STACK) == 0);
        REQUIRE(pthread_create(&started[i], &attributes, go_ways,
                               (void *)(uintptr_t)i) == 0);
    }
    pthread_barrier_wait(&all_have);
    print_memory();
    pthread_barrier_wait(&all_may_end);
    for (unsigned long i = 0; i < threads; i++)
        pthread_join(started[i], NULL);
    free(started);
    return 0;
}
