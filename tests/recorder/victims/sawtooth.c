/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sawtooth.c - one thread whose heap rises to a new peak again and again
 *
 * argv[1] is one of
 *
 *     teeth   falls by some each time and rises by a little more
 *     deep    falls by most each time
 *     resize  rises by realloc
 *     mixed   allocates and frees at random
 *     maps    does so, and maps and unmaps memory
 *     child   does so in a forked child
 *     killed  is killed below its peak
 *
 * Blocks come from 729 stacks, and so do mappings, some of them without access.
 * At each fall of the heap, or of the mappings with access, the program copies
 * its figures. At the end it prints those of both peaks, each a line for each
 * stack: KIND PATH BLOCKS BYTES; and the peak of both together: with -1 -1 0
 * BYTES.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    BLOCKS = 20000,
    STACKS = 729,
    DEPTH = 6,
    TEETH = 300,
    OPERATIONS = 60000,
    PAGE = 4096
};

struct account {
    uint64_t blocks, bytes;
};

static void *blocks[BLOCKS];
static size_t sizes[BLOCKS];
static uint32_t paths[BLOCKS];
enum kind { HEAP, MAPS, KINDS };

static struct account held[KINDS][STACKS], at_peak[KINDS][STACKS];
static uint64_t live[KINDS], peak[KINDS]; /* with access */
static uint64_t reserved, reserved_at_peak;
static uint64_t all, all_peak;
static bool has_maps;
static uint32_t state = 1;

static uint32_t draw(uint32_t limit)
{
    state = state * 1664525 + 1013904223;
    return (state >> 8) % limit;
}

static bool is_map(size_t size)
{
    return has_maps && size != 0 && size % PAGE == 0;
}

static bool is_reserved(size_t size)
{
    return is_map(size) && size / PAGE % 4 == 3;
}

static void *take(uint32_t path, int depth, void *old, size_t size);

static __attribute__((noinline)) void *left(uint32_t path, int depth, void *old,
                                            size_t size)
{
    return take(path / 3, depth - 1, old, size);
}

static __attribute__((noinline)) void *middle(uint32_t path, int depth,
                                              void *old, size_t size)
{
    return take(path / 3, depth - 1, old, size);
}

static __attribute__((noinline)) void *right(uint32_t path, int depth,
                                             void *old, size_t size)
{
    return take(path / 3, depth - 1, old, size);
}

static __attribute__((noinline)) void *take(uint32_t path, int depth, void *old,
                                            size_t size)
{
    void *(*const ways[])(uint32_t, int, void *, size_t) = { left, middle,
                                                             right };

    if (depth > 0)
        return ways[path % 3](path, depth, old, size);
    if (is_map(size))
        return mmap(NULL, size, is_reserved(size) ? PROT_NONE : PROT_READ,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return old == NULL ? malloc(size) : realloc(old, size);
}

static void see_peaks(void)
{
    if (all > all_peak)
        all_peak = all;
    if (live[HEAP] > peak[HEAP]) {
        memcpy(at_peak[HEAP], held[HEAP], sizeof at_peak[HEAP]);
        peak[HEAP] = live[HEAP];
    }
    if (live[MAPS] > peak[MAPS] ||
        (live[MAPS] == peak[MAPS] && reserved >= reserved_at_peak)) {
        memcpy(at_peak[MAPS], held[MAPS], sizeof at_peak[MAPS]);
        peak[MAPS] = live[MAPS];
        reserved_at_peak = reserved;
    }
}

static void add(uint32_t i, uint64_t count, uint64_t bytes)
{
    enum kind kind = is_map(sizes[i]) ? MAPS : HEAP;

    held[kind][paths[i]].blocks += count;
    held[kind][paths[i]].bytes += bytes;
    all += bytes;
    *(is_reserved(sizes[i]) ? &reserved : &live[kind]) += bytes;
    if (kind == MAPS)
        see_peaks();
}

static void account_for_free(uint32_t i)
{
    if (blocks[i] == NULL)
        return;
    see_peaks();
    add(i, (uint64_t)-1, 0 - sizes[i]);
}

static void put(uint32_t i, size_t size)
{
    account_for_free(i);
    paths[i] = draw(STACKS);
    sizes[i] = size;
    blocks[i] = take(paths[i], DEPTH, blocks[i], size);
    add(i, 1, size);
}

static void drop(uint32_t i)
{
    account_for_free(i);
    if (blocks[i] != NULL && is_map(sizes[i]))
        munmap(blocks[i], sizes[i]);
    else
        free(blocks[i]);
    blocks[i] = NULL;
}

static void fill(uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        put(i, 16 + draw(200));
}

static void empty(uint32_t from, uint32_t to)
{
    for (uint32_t i = to; i-- > from;)
        drop(i);
}

static void make_teeth(uint32_t low, uint32_t high)
{
    fill(0, high);
    for (uint32_t tooth = 0; tooth < TEETH; tooth++) {
        empty(low + tooth, high + tooth);
        fill(low + tooth, high + tooth + 1);
    }
    empty(0, high + TEETH);
}

static void resize(void)
{
    fill(0, 100);
    for (uint32_t i = 0; i < OPERATIONS; i++)
        put(draw(100), 16 + draw(16 + i / 8));
    empty(0, 100);
}

static void mix(void)
{
    for (uint32_t i = 0; i < OPERATIONS; i++) {
        uint32_t which = draw(200 + i / 8);

        if (blocks[which] == NULL)
            put(which,
                has_maps && draw(8) == 0 ? (1 + draw(20)) * PAGE : draw(3000));
        else if (draw(5) < 3)
            drop(which);
    }
    empty(0, BLOCKS);
}

static void say(void)
{
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0; i < STACKS; i++)
            dprintf(1, "%d %d %llu %llu\n", kind, i,
                    (unsigned long long)at_peak[kind][i].blocks,
                    (unsigned long long)at_peak[kind][i].bytes);
    dprintf(1, "-1 -1 0 %llu\n", (unsigned long long)all_peak);
}

/* Be killed after a fall and a smaller rise, below the peak. */
static void be_killed(void)
{
    make_teeth(1000, 1030);
    fill(0, 1200);
    empty(1180, 1200);
    fill(1180, 1190);
    say();
    raise(SIGKILL);
}

/* Run in a child, whose peak includes inherited blocks and is its own. */
static int go_on_in_a_child(void)
{
    int status = 99;

    has_maps = true;
    fill(BLOCKS - 500, BLOCKS - 20);
    for (uint32_t i = BLOCKS - 20; i < BLOCKS; i++)
        put(i, PAGE);
    if (fork() == 0) {
        peak[HEAP] = peak[MAPS] = reserved_at_peak = all_peak = 0;
        mix();
        say();
        _exit(0);
    }
    wait(&status);
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    if (strcmp(argv[1], "child") == 0)
        return go_on_in_a_child();
    if (strcmp(argv[1], "killed") == 0)
        be_killed();
    else if (strcmp(argv[1], "teeth") == 0)
        make_teeth(1000, 1030);
    else if (strcmp(argv[1], "deep") == 0)
        make_teeth(10, 3000);
    else if (strcmp(argv[1], "resize") == 0)
        resize();
    else {
        has_maps = strcmp(argv[1], "maps") == 0;
        mix();
    }
    say();
    return 0;
}
