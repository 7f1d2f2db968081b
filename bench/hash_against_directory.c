/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash_against_directory.c - cost of the shadow's root table
 *
 * Compare the lookup of ledger/shards/shadow.h, a hash of 4 MiB regions, with a
 * directory of all 47 address bits in regions of 16 MiB: a root of 64 MiB,
 * leaves of 4 MiB. Each round sets and takes one word for every block of a
 * heap, in random order, once for a heap that fits the caches and once for one
 * that does not. Prints nanoseconds of a set and a take.
 *
 * usage: hash_against_directory
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "ledger/shards/shadow.h"

enum { TURNS = 15, BLOCK = 64, VISITS = 4000000 };
enum { DIRECTORY_SHIFT = 24, DIRECTORY_SLOTS = 1 << (47 - DIRECTORY_SHIFT) };

struct shadow
    shadow; /* filled by this program; ledger/shards/shadow.c is not linked */

static char **directory;

static void *pages(size_t size)
{
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (at == MAP_FAILED) {
        perror("mmap");
        exit(1);
    }
    madvise(at, size, MADV_NOHUGEPAGE);
    return at;
}

static uint32_t *hash_words(const void *block)
{
    uint32_t *words;

    return shadow_words(block, &words) ? words : NULL;
}

static uint32_t *directory_words(const void *block)
{
    uintptr_t address = (uintptr_t)block;
    char *leaf = __atomic_load_n(&directory[address >> DIRECTORY_SHIFT],
                                 __ATOMIC_ACQUIRE);

    if (leaf == NULL)
        return NULL;
    return (uint32_t *)(void *)(leaf +
                                ((address & ((1 << DIRECTORY_SHIFT) - 1)) >> 2 &
                                 ~(uintptr_t)3));
}

static void make_leaves(const char *heap, size_t size)
{
    uintptr_t end = (uintptr_t)heap + size;

    for (uintptr_t at = (uintptr_t)heap; at < end; at += SHADOW_REGION) {
        struct shadow_slot *slot =
            &shadow.slots[(at >> SHADOW_REGION_SHIFT) % SHADOW_SLOTS];

        slot->leaf = pages(SHADOW_REGION / 4);
        slot->start = at & ~(uintptr_t)(SHADOW_REGION - 1);
        if (directory[at >> DIRECTORY_SHIFT] == NULL)
            directory[at >> DIRECTORY_SHIFT] =
                pages(1 << (DIRECTORY_SHIFT - 2));
    }
}

static uint64_t next_random(uint64_t *state)
{
    *state =
        *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static double processor_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* One function for each lookup, so that it is inlined as in the hook. */
#define VISIT(name, words_of)                                        \
    static double name(const char *heap, size_t size)                \
    {                                                                \
        uint64_t state = 1;                                          \
        double begin = processor_ns();                               \
                                                                     \
        for (long i = 0; i < VISITS; i++) {                          \
            const char *block =                                      \
                heap + next_random(&state) % (size / BLOCK) * BLOCK; \
            uint32_t *words = words_of(block);                       \
                                                                     \
            if (words == NULL || words[0] != 0)                      \
                abort();                                             \
            words[0] = REFERENCE_BIT;                                \
            words[1] = BLOCK;                                        \
            __asm__ volatile("" : "+r"(block) : : "memory");         \
            words = words_of(block);                                 \
            if (words == NULL)                                       \
                abort();                                             \
            words[0] = 0;                                            \
        }                                                            \
        return (processor_ns() - begin) / VISITS;                    \
    }

VISIT(visit_hash, hash_words)
VISIT(visit_directory, directory_words)

static int compare(const void *left, const void *right)
{
    double difference = *(const double *)left - *(const double *)right;

    return (difference > 0) - (difference < 0);
}

static void compare_roots(const char *heap, size_t size)
{
    double hash[TURNS], by_directory[TURNS];

    for (int turn = 0; turn < TURNS; turn++) {
        hash[turn] = visit_hash(heap, size);
        by_directory[turn] = visit_directory(heap, size);
    }
    qsort(hash, TURNS, sizeof *hash, compare);
    qsort(by_directory, TURNS, sizeof *by_directory, compare);
    printf("| %zu MiB | %.2f ns | %.2f ns | %.2f ns | %.2f ns |\n", size >> 20,
           hash[0], hash[TURNS / 2], by_directory[0], by_directory[TURNS / 2]);
}

int main(void)
{
    static const size_t sizes[] = { 1 << 20, 512 << 20 };
    char *heap = pages(sizes[1] + 2 * (size_t)SHADOW_REGION);

    heap += -(uintptr_t)heap & (SHADOW_REGION - 1);
    directory = pages(DIRECTORY_SLOTS * sizeof *directory);
    make_leaves(heap, sizes[1]);
    puts("| heap | hash: fastest | median | directory: fastest | median |\n"
         "| --- | --- | --- | --- | --- |");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        compare_roots(heap, sizes[i]);
    return 0;
}
