/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring_reader.c - events of several rings, merged by time
 *
 * Invariants:
 *
 *   I1  places[i].tail <= places[i].head <= tail + EVENTS_RING_WORDS
 *   I2  an event is taken out once each other ring is not busy, or last got
 *       an event that is no older. A ring that is not busy only gets events
 *       newer than visible_ns ago: a program sets `busy` before it adds, and
 *       other processors see that within this time
 *
 * Words of a ring are read once: the program may change them at any time.
 */
#include "tool/session/events/events.h"

#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined __x86_64__
#include <cpuid.h>
#endif

enum { GIVE_BACK = EVENTS_RING_WORDS / 8, KIND_MASK = 7 };

static const uint32_t visible_ns = 20000;

/* How long a thread stopped while adding an event can delay other rings. */
static const uint64_t longest_hold_ns = 100000000;

enum { PAIR_ATTEMPTS = 5 };

/* Return true if the kernel lists the counter: it removes one that it stops
   trusting. */
static bool is_trusted_by_kernel(void)
{
    char names[256] = "";
    FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/"
                       "available_clocksource",
                       "re");

    if (file == NULL)
        return false;
    if (fgets(names, sizeof names, file) == NULL)
        names[0] = '\0';
    fclose(file);
    return strncmp(names, "tsc ", 4) == 0 || strstr(names, " tsc ") != NULL ||
           strstr(names, "arch_sys_counter") != NULL;
}

#if defined __x86_64__
/* Return true if ticks have one rate in all states of the processor. */
static bool is_steady(void)
{
    unsigned a, b, c, d;

    return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d & 1u << 8) != 0;
}

static uint64_t read_ticks(void)
{
    return __builtin_ia32_rdtsc();
}
#elif defined __aarch64__
static bool is_steady(void)
{
    return true;
}

static uint64_t read_ticks(void)
{
    uint64_t ticks;

    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}
#endif

enum events_clock tick_scale_choose(int avoid_ticks)
{
    return !avoid_ticks && is_steady() && is_trusted_by_kernel()
               ? EVENTS_CLOCK_TICKS
               : EVENTS_CLOCK_NANOSECONDS;
}

/* Read both clocks; keep the pair with the least delay. */
static void take_pair(uint64_t *ticks, uint64_t *ns)
{
    uint64_t least = UINT64_MAX;

    for (int i = 0; i < PAIR_ATTEMPTS; i++) {
        uint64_t before = read_ticks();
        uint64_t between = clock_ns(CLOCK_MONOTONIC);
        uint64_t after = read_ticks();

        if (after - before < least) {
            least = after - before;
            *ticks = before + least / 2;
            *ns = between;
        }
    }
}

void tick_scale_begin(struct tick_scale *scale, enum events_clock clock)
{
    *scale = (struct tick_scale){ .clock = clock };
    take_pair(&scale->first_ticks, &scale->first_ns);
    scale->ticks = scale->first_ticks;
    scale->ns = scale->first_ns;
}

void tick_scale_update(struct tick_scale *scale)
{
    take_pair(&scale->ticks, &scale->ns);
    if (scale->ticks != scale->first_ticks)
        scale->ns_per_tick = (double)(scale->ns - scale->first_ns) /
                             (double)(scale->ticks - scale->first_ticks);
}

uint64_t tick_scale_before(const struct tick_scale *scale, uint32_t ns)
{
    if (scale->clock == EVENTS_CLOCK_NANOSECONDS)
        return clock_ns(CLOCK_MONOTONIC) - ns;
    return scale->ns_per_tick > 0
               ? read_ticks() - (uint64_t)(ns / scale->ns_per_tick)
               : 0;
}

bool ring_reader_open(struct ring_reader *reader, int fd, uint64_t extent)
{
    off_t offset = (off_t)(extent + EVENTS_AREA_OFFSET);
    struct events_area head;
    void *mapped;

    memset(reader, 0, sizeof *reader);
    /* pread() instead of mmap(): touching a hole would allocate its page. */
    if (pread(fd, &head, offsetof(struct events_area, rings), offset) !=
            (ssize_t)offsetof(struct events_area, rings) ||
        head.magic != EVENTS_AREA_MAGIC)
        return false;
    reader->is_blackbox = head.is_blackbox != 0;
    mapped = mmap(NULL, EVENTS_AREA_SIZE,
                  PROT_READ | (reader->is_blackbox ? 0 : PROT_WRITE),
                  MAP_SHARED, fd, offset);
    if (mapped == MAP_FAILED)
        return false;
    reader->area = mapped;
    reader->ring_count = head.ring_count < EVENTS_RING_COUNT
                             ? head.ring_count
                             : EVENTS_RING_COUNT;
    return true;
}

void ring_reader_close(struct ring_reader *reader)
{
    if (reader->area == NULL)
        return;
    if (!reader->is_blackbox)
        __atomic_store_n(&reader->area->is_closed, 1, __ATOMIC_RELEASE);
    munmap(reader->area, EVENTS_AREA_SIZE);
    reader->area = NULL;
}

static uint64_t word_at(const struct ring_reader *reader, uint32_t ring,
                        uint64_t position)
{
    const char *words = (const char *)reader->area + EVENTS_AREA_HEAD +
                        ring * (size_t)EVENTS_RING_BYTES;

    return __atomic_load_n((const uint64_t *)(const void *)words +
                               position % EVENTS_RING_WORDS,
                           __ATOMIC_RELAXED);
}

static void find_next_time(struct ring_reader *reader, uint32_t ring)
{
    struct ring_place *place = &reader->places[ring];

    place->next_time =
        place->tail == place->head
            ? UINT64_MAX
            : word_at(reader, ring, place->tail) >> EVENTS_RING_KIND_BITS;
}

/*
 * Skip to the first block that is not overwritten, by the ring's head. Return
 * true if anything was skipped.
 */
static bool pass_overwritten(struct ring_place *place, uint64_t head)
{
    const uint64_t kept = EVENTS_RING_WORDS - EVENTS_BLOCK_WORDS;
    uint64_t first = head < kept ? 0 : head - kept;

    if (place->tail >= first)
        return false;
    first = (first + EVENTS_BLOCK_WORDS - 1) / EVENTS_BLOCK_WORDS *
            EVENTS_BLOCK_WORDS;
    place->tail =
        first > place->tail && first < place->head ? first : place->head;
    return true;
}

/* Read the state of a ring. Return a time: no event still to come is older. */
static uint64_t read_state(struct ring_reader *reader, uint32_t number,
                           uint64_t now_ns, uint64_t floor)
{
    struct events_ring *ring = &reader->area->rings[number];
    struct ring_place *place = &reader->places[number];
    uint64_t busy = __atomic_load_n(&ring->busy, __ATOMIC_ACQUIRE);
    uint64_t last = __atomic_load_n(&ring->last_time, __ATOMIC_ACQUIRE);
    uint64_t head = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);

    if (busy == 0 || head != place->head || place->moved_ns == 0)
        place->moved_ns = now_ns;
    place->head = head;
    if (reader->is_blackbox)
        pass_overwritten(place, head);
    if (head - place->tail > EVENTS_RING_WORDS)
        place->tail = head; /* the ring is damaged; drop its content */
    INVARIANT(I1, place->head - place->tail <= EVENTS_RING_WORDS);
    find_next_time(reader, number);
    if (busy == 0 || now_ns - place->moved_ns > longest_hold_ns)
        return floor;
    return last;
}

static void give_back(struct ring_reader *reader, uint32_t number)
{
    struct events_area *area = reader->area;

    if (reader->is_blackbox)
        return;
    __atomic_store_n(&area->rings[number].tail, reader->places[number].tail,
                     __ATOMIC_RELEASE);
    __atomic_fetch_add(&area->room, 1, __ATOMIC_ACQ_REL);
    if (__atomic_load_n(&area->waiting, __ATOMIC_ACQUIRE) != 0)
        syscall(SYS_futex, &area->room, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* Words of a record by kind (0: no such kind), and the index of each field (0:
   absent). */
static const struct {
    uint8_t words, result, pointer, count, size;
} kinds[KIND_MASK + 1] = {
    [MEM_TRACE_MALLOC] = { .words = 4, .result = 2, .size = 3 },
    [MEM_TRACE_REALLOC] = { .words = 5, .result = 2, .size = 3, .pointer = 4 },
    [MEM_TRACE_CALLOC] = { .words = 5, .result = 2, .size = 3, .count = 4 },
    [MEM_TRACE_FREE] = { .words = 3, .pointer = 2 },
    [EVENTS_RING_THREAD] = { .words = 2 },
    [EVENTS_RING_END] = { .words = 1 },
    [MEM_TRACE_PROMOTE] = { .words = 3, .pointer = 2 },
    [MEM_TRACE_FRAME] = { .words = 3, .count = 2 },
};

/*
 * Take the next record of a ring. Return true if it is an event, with `event`
 * filled and its time still in the program's clock.
 */
static bool take_record(struct ring_reader *reader, uint32_t ring,
                        struct mem_trace_event *event)
{
    struct ring_place *place = &reader->places[ring];
    uint64_t head = word_at(reader, ring, place->tail);
    unsigned kind = head & KIND_MASK;
    uint64_t words[EVENTS_RECORD_WORDS] = { 0 };
    uint64_t count = kinds[kind].words;

    for (uint64_t i = 1; i < count; i++)
        words[i] = word_at(reader, ring, place->tail + i);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (reader->is_blackbox &&
        pass_overwritten(place, __atomic_load_n(&reader->area->rings[ring].head,
                                                __ATOMIC_RELAXED)))
        return false;
    if (count == 0 || count > place->head - place->tail) {
        place->tail = place->head; /* not a record */
        return false;
    }
    place->tail += count;
    if (kind == EVENTS_RING_END) {
        uint64_t end = (place->tail + EVENTS_BLOCK_WORDS - 1) /
                       EVENTS_BLOCK_WORDS * EVENTS_BLOCK_WORDS;

        /* the end wraps near 2^64 */
        place->tail =
            end >= place->tail && end < place->head ? end : place->head;
        return false;
    }
    if (kind == EVENTS_RING_THREAD) {
        place->thread = (uint32_t)words[1];
        return false;
    }
    *event = (struct mem_trace_event){
        .time_ns = head >> EVENTS_RING_KIND_BITS,
        .result = words[kinds[kind].result],
        .caller = words[1],
        .pointer = words[kinds[kind].pointer],
        .count = words[kinds[kind].count],
        .size = words[kinds[kind].size],
        .thread = place->thread,
        .op = (uint8_t)kind,
        .has_time = true,
    };
    return true;
}

/* Return the ring with the oldest next event, and the time of the
   second-oldest. */
static uint32_t find_oldest(const struct ring_reader *reader, uint64_t *second)
{
    uint32_t oldest = 0;

    *second = UINT64_MAX;
    for (uint32_t i = 1; i < reader->ring_count; i++) {
        uint64_t time = reader->places[i].next_time;

        if (time < reader->places[oldest].next_time) {
            *second = reader->places[oldest].next_time;
            oldest = i;
        } else if (time < *second) {
            *second = time;
        }
    }
    return oldest;
}

/* Take out the events of one ring up to a time. Return their number. */
static uint64_t take_run(struct ring_reader *reader,
                         const struct tick_scale *scale, uint32_t ring,
                         uint64_t until, uint64_t limit, ring_take_fn *take,
                         void *context)
{
    struct ring_place *place = &reader->places[ring];
    uint64_t given_back = place->tail, count = 0;
    struct mem_trace_event event;

    while (place->next_time <= until && place->tail != place->head &&
           count < limit) {
        if (take_record(reader, ring, &event)) {
            event.time_ns = tick_scale_ns(scale, event.time_ns);
            take(context, &event);
            count += event.op != MEM_TRACE_FRAME; /* frames belong to the
                                                     next call */
        }
        if (place->tail - given_back >= GIVE_BACK) {
            give_back(reader, ring);
            given_back = place->tail;
        }
        find_next_time(reader, ring);
    }
    return count;
}

uint64_t ring_reader_take(struct ring_reader *reader,
                          const struct tick_scale *scale, bool is_over,
                          uint64_t limit, ring_take_fn *take, void *context)
{
    uint64_t until = UINT64_MAX, count = 0, second;
    uint64_t floor = tick_scale_before(scale, visible_ns);
    uint64_t tails[EVENTS_RING_COUNT];

    if (reader->area == NULL)
        return 0;
    for (uint32_t i = 0; i < reader->ring_count; i++) {
        uint64_t time = read_state(reader, i, scale->ns, floor);

        tails[i] = reader->places[i].tail;
        if (!is_over && time < until)
            until = time;
    }
    while (count < limit) {
        uint32_t ring = find_oldest(reader, &second);

        if (reader->places[ring].next_time > until ||
            reader->places[ring].head == reader->places[ring].tail)
            break;
        INVARIANT(I2, reader->places[ring].next_time <= second);
        count += take_run(reader, scale, ring, second < until ? second : until,
                          limit - count, take, context);
    }
    for (uint32_t i = 0; i < reader->ring_count; i++) {
        if (reader->places[i].tail != tails[i])
            give_back(reader, i);
    }
    reader->lost = __atomic_load_n(&reader->area->lost, __ATOMIC_RELAXED);
    return count;
}
