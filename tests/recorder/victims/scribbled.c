/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scribbled.c - threads that allocate, map and fork while an unprivileged
 * process overwrites all ledgers of the session
 *
 * The child that scribbles makes no allocation, so it has no ledger. It maps
 * the session's file and writes until its parent ends. It leaves alone the
 * session's identity, and the words that switch recording off. It does nothing
 * in a run without a recorder.
 *
 * The argument is a seed; with 0 the number of ledgers exceeds its limit. The
 * program prints a checksum of all blocks.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "format/events/events_area.h"
#include "format/ledger/ledger_layout.h"
#include "format/ledger/segments_layout.h"
#include "format/ledger/session_layout.h"
#include "tally/label.h"
#include "tally/mbed_stats.h"
#include "tests/recorder/victims/victim.h"

enum {
    THREADS = 4,
    ROUNDS = 150,
    FORKS = 10,
    HELD = 256,
    EXTENTS = 4, /* the first ledgers, whose extents new ledgers reuse */
    USED = 2 << 20,
};

static uint64_t mix(uint64_t *state)
{
    uint64_t mixed = *state += UINT64_C(0x9e3779b97f4a7c15);

    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ mixed >> 31;
}

static uint64_t some_value(uint64_t *random)
{
    uint64_t value = mix(random);

    switch (value >> 61) {
    case 0:
        return 0;
    case 1:
        return UINT64_MAX;
    case 2:
        return value & 0xff;
    case 3:
        return value & UINT32_MAX;
    case 4:
        return (uint64_t)INT64_MIN;
    case 5:
        return LEDGER_PAIR_ADDRESS;
    case 6:
        return (value & 0xff) << 32 | (value & 0xffff);
    default:
        return value;
    }
}

/* Overwrite some words from `start` on, with one value or with one each. */
static void write_words(char *start, size_t size, uint64_t *random)
{
    uint64_t choice = mix(random), value = some_value(random);
    size_t words = size / sizeof value;
    size_t at = (choice >> 8) % words;
    size_t count = choice % 8 == 0 ? (choice >> 3) % 128 : 1;

    for (; count > 0 && at < words; count--, at++) {
        volatile uint64_t *word = (volatile uint64_t *)(void *)start + at;

        *word = value;
        if (choice % 16 == 0)
            value = some_value(random);
    }
}

/* shared: true while a process opens its ledger */
static volatile int *is_asking;

/* Overwrite the number of ledgers and its limit. Impossible numbers are a test
   of their own, for tally record reads as many ledgers as it can. */
static void write_numbers(char *session, bool may_be_wild, uint64_t *random)
{
    volatile struct session_header *header = (void *)session;
    uint64_t choice = mix(random);
    bool is_wild = may_be_wild && *is_asking && choice % 2 == 0;

    header->ledger_capacity = is_wild ? UINT32_MAX : SESSION_CAPACITY;
    header->ledger_count = !is_wild          ? (uint32_t)(choice >> 40) % 4
                           : choice % 4 == 0 ? UINT32_MAX
                                             : SESSION_CAPACITY + 7;
    header->follow = SESSION_FOLLOW_ALL;
}

/* Overwrite the rest of the page, which starting processes read. */
static void write_settings(char *session, uint64_t *random)
{
    size_t from = offsetof(struct session_header, compressed);
    size_t at = from + mix(random) % (sizeof(struct session_header) - from);

    ((volatile char *)session)[at] = (char)some_value(random);
}

/* Overwrite heads, tails and counts of all rings, and their records. */
static void write_rings(char *extent, uint64_t *random)
{
    struct events_area *area = (void *)(extent + EVENTS_AREA_OFFSET);
    uint64_t choice = mix(random);

    if (choice % 4 == 0)
        write_words((char *)area + EVENTS_AREA_HEAD,
                    (size_t)EVENTS_RING_COUNT * EVENTS_RING_BYTES, random);
    else
        write_words((char *)area, sizeof *area, random);
}

static void write_extent(char *extent, uint64_t *random)
{
    uint64_t choice = mix(random);
    size_t header = offsetof(struct ledger_header, shard_count);

    if (choice % 2 == 0)
        write_words(extent + header, 128 - header, random);
    else if (choice % 4 == 1)
        write_words(extent + 256, LEDGER_PAGE - 256, random);
    else if (choice % 8 == 3)
        write_rings(extent, random);
    else
        write_words(extent + LEDGER_PAGE, USED, random);
}

/* Scribble without a call that the recorder sees. */
static __attribute__((noreturn)) void scribble(const char *path, uint64_t seed)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    long at =
        syscall(SYS_mmap, NULL, (EXTENTS + 1) * SESSION_EXTENT_SIZE,
                PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0L);
    char *session = (char *)(uintptr_t)at;

    if (fd < 0 || at == -1)
        _exit(VICTIM_FAILED);
    for (uint64_t random = seed;;) {
        uint64_t extent = 1 + mix(&random) % EXTENTS;

        write_extent(session + extent * SESSION_EXTENT_SIZE, &random);
        if (random % 64 == 0)
            write_numbers(session, seed == 0, &random);
        if (random % 64 == 1)
            write_settings(session, &random);
    }
}

static void begin_scribbling(uint64_t seed)
{
    const char *session = getenv(SESSION_ENVIRONMENT);
    char path[64] = "";
    pid_t parent = getpid(), child;

    if (session == NULL || sscanf(session, "%63[^:]", path) != 1)
        return;
    child = fork();
    REQUIRE(child >= 0);
    if (child > 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent)
        scribble(path, seed);
    _exit(0);
}

static uint64_t held_sum(unsigned char *const *held)
{
    uint64_t sum = 0;

    for (int i = 0; i < HELD; i++)
        sum += held[i] == NULL ? 0 : held[i][0];
    return sum;
}

static __attribute__((noinline)) uint64_t allocate(unsigned char **held,
                                                   uint64_t *random, int deep)
{
    uint64_t choice = mix(random);
    size_t size = 1 + choice % 4000;
    unsigned char **at = &held[(choice >> 16) % HELD];

    if (deep > 0)
        return allocate(held, random, deep - 1) + 1;
    if (choice >> 62 == 0 && *at != NULL) {
        *at = realloc(*at, size);
    } else {
        free(*at);
        *at = choice >> 62 == 1 ? calloc(1, size) : malloc(size);
    }
    REQUIRE(*at != NULL);
    memset(*at, (int)(choice >> 24), size);
    return size;
}

static uint64_t map_and_unmap(uint64_t *random)
{
    size_t size = LEDGER_PAGE * (1 + mix(random) % 16);
    volatile unsigned char *map = mmap(NULL, size, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    REQUIRE(map != MAP_FAILED);
    map[size - 1] = 7;
    size += map[0] + map[size - 1];
    REQUIRE(munmap((void *)(uintptr_t)map, size - 7) == 0);
    return size;
}

static void allocate_some(uint64_t *random)
{
    for (int i = 0; i < 200; i++)
        free(victim_keep(malloc(1 + mix(random) % 1000)));
    map_and_unmap(random);
}

/* Fork a child whose ledger inherits its parent's, or that execs a new
   program. */
static void fork_and_allocate(unsigned char **held, uint64_t *random)
{
    int status;
    pid_t child;

    *is_asking = 1;
    child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        uint64_t before = held_sum(held);

        allocate_some(random);
        if (*random % 2 == 0)
            execl("/proc/self/exe", "scribbled", "other", NULL);
        _exit(held_sum(held) == before ? 0 : VICTIM_FAILED);
    }
    REQUIRE(waitpid(child, &status, 0) == child);
    *is_asking = 0;
    REQUIRE(status == 0);
}

static void *work(void *number)
{
    static const char *const tenants[] = { "a", "b", "c", NULL };
    unsigned char *held[HELD] = { NULL };
    uint64_t random = (uintptr_t)number + 1, sum = 0;
    mbed_stats_heap_t figures;

    for (int round = 0; round < ROUNDS; round++) {
        tally_label_set("tenant", tenants[round % 4]);
        for (int i = 0; i < 1000; i++)
            sum += allocate(held, &random, (int)(mix(&random) % 12));
        sum += map_and_unmap(&random);
        if (round % 10 == 5)
            mbed_stats_heap_get(&figures);
        if (round % (ROUNDS / FORKS) == 3 && number == NULL)
            fork_and_allocate(held, &random);
    }
    sum += held_sum(held);
    for (int i = 0; i < HELD; i++)
        free(held[i]);
    return (void *)(uintptr_t)sum;
}

int main(int count, char **arguments)
{
    pthread_t threads[THREADS];
    uint64_t sum = 0;

    is_asking = mmap(NULL, LEDGER_PAGE, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(is_asking != MAP_FAILED);
    if (count > 1 && strcmp(arguments[1], "other") == 0) {
        allocate_some(&sum);
        return 0;
    }
    begin_scribbling(count > 1 ? strtoull(arguments[1], NULL, 10) : 1);
    for (uintptr_t i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
    for (int i = 0; i < THREADS; i++) {
        void *part;

        REQUIRE(pthread_join(threads[i], &part) == 0);
        sum += (uintptr_t)part;
    }
    printf("checksum %" PRIu64 "\n", sum);
    return 0;
}
