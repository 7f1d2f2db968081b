/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sys_heap.c - allocate, free, resize, check and charge blocks
 *
 * This file is long because it has all operations on the chunks of a heap.
 *
 * A chunk is allocated from the low end of a free one; the rest stays free. A
 * block never has more units than it needs. A freed chunk merges with its free
 * neighbours at once. Headers are checked before anything is read or written
 * through them, in heap_block_unit() and heap_list_find(); after that, all
 * nearby headers are sound. heap_chunk.h has the layout and the invariants.
 */
#include "tally/sys_heap.h"

#include <string.h>

#include "core/accounts/regions.h"
#include "core/heaps/heap_chunk.h"
#include "core/observers/sample.h"
#include "core/observers/tell.h"
#include "core/tags/alloc_tag.h"
#include "tally/heap_listener.h"

/* -EINVAL of POSIX systems and of Zephyr. */
enum { INVALID = -22 };

enum { MAP_WORDS = 16 }; /* covers 4 KiB */

#define END_MARK (CHUNK_USED | CHUNK_LEFT_USED)

static void set_free(struct sys_heap *heap, uint32_t unit, uint32_t units)
{
    chunk_set(heap, unit, units, CHUNK_LEFT_USED);
    chunk_set_link(heap, unit + units, CHUNK_UNITS_BEFORE, units);
    *chunk_at(heap, unit + units) &= ~(uint32_t)CHUNK_LEFT_USED;
    INVARIANT(I2, chunk_link(heap, unit + units, CHUNK_UNITS_BEFORE) == units);
    if (units >= CHUNK_SMALLEST)
        heap_list_push(heap, unit);
}

static void set_slack(struct sys_heap *heap, uint32_t unit, size_t bytes)
{
    uint32_t slack = (uint32_t)(chunk_room(chunk_units(heap, unit)) - bytes);

    chunk_set_owner(heap, unit,
                    (chunk_owner(heap, unit) & ~CHUNK_SLACK_MASK) | slack);
}

static void add_used(struct sys_heap *heap, uint32_t units)
{
    heap->used += units;
    if (heap->used > heap->most)
        heap->most = heap->used;
}

static void lay_out(struct sys_heap *heap, void *mem, size_t bytes)
{
    /* bytes after a multiple of 8 */
    enum { SHIFTED = HEAP_IS_COMPACT ? 4 : 0 };
    uintptr_t start = (uintptr_t)mem + CHUNK_UNIT - 1 - SHIFTED;
    size_t lost;
    uint64_t units = 0;
    uint32_t words;

    start &= ~(uintptr_t)7;
    lost = (size_t)(start - (uintptr_t)mem) + SHIFTED;
    *heap = (struct sys_heap){ .init_mem = mem,
                               .init_bytes = bytes,
                               .base = (unsigned char *)mem + lost };
    /* The end mark takes a unit; a compact one only its header. */
    if (bytes > lost)
        units = (bytes - lost + SHIFTED) / CHUNK_UNIT;
    if (units * CHUNK_UNIT < TALLY_HEAP_SMALLEST_BYTES)
        return;
    if (units >= CHUNK_UNIT_LIMIT) {
        heap_report_fault(heap, mem, TALLY_HEAP_LOST);
        units = CHUNK_UNIT_LIMIT - 1;
    }
    heap->bucket_count = heap_bucket((uint32_t)units) + 1;
    words = heap_head_words(heap) + (uint32_t)(units + 31) / 32;
    memset(heap->base, 0, (size_t)words * sizeof(uint32_t));
    heap->first = (words + 1) / 2;
    heap->end = (uint32_t)units - 1;
    *chunk_at(heap, heap->end) = END_MARK;
    set_free(heap, heap->first, heap->end - heap->first);
}

void heap_open(struct sys_heap *heap, void *mem, size_t bytes,
               enum ledger_region_kind kind)
{
    lay_out(heap, mem, bytes);
    heap_registry_enter(heap, kind);
    heap_publish(heap);
}

void sys_heap_init(struct sys_heap *heap, void *mem, size_t bytes)
{
    regions_open();
    heap_open(heap, mem, bytes, LEDGER_REGION_HEAP);
}

/* Return the units of a chunk for `bytes`, or 0 if the heap is too small for
   it. */
static uint32_t units_for(const struct sys_heap *heap, size_t bytes)
{
    size_t units;

    if (bytes > chunk_room(heap->end - heap->first + 1))
        return 0;
    units = (bytes + CHUNK_HEADER + CHUNK_UNIT - 1) / CHUNK_UNIT;
    return units < CHUNK_SMALLEST ? CHUNK_SMALLEST : (uint32_t)units;
}

/* Turn a free chunk into a used one, and the rest into free chunks. */
static uint32_t carve(struct sys_heap *heap, uint32_t unit, uint32_t gap,
                      uint32_t units)
{
    uint32_t left_over = chunk_units(heap, unit) - gap - units;
    uint32_t end = unit + gap + units + left_over;
    uint32_t flags = CHUNK_USED | CHUNK_LEFT_USED;

    heap_list_unlink(heap, unit);
    *chunk_at(heap, end) |= CHUNK_LEFT_USED;
    if (gap != 0) {
        set_free(heap, unit, gap);
        flags = CHUNK_USED;
        unit += gap;
    }
    if (left_over != 0)
        set_free(heap, unit + units, left_over);
    chunk_set(heap, unit, units, flags);
    chunk_set_owner(heap, unit, 0);
    heap_map_flip(heap, unit);
    INVARIANT(I1, chunk_fits(heap, unit, units));
    INVARIANT(I3, heap_map_has(heap, unit));
    heap->blocks++;
    add_used(heap, units);
    return unit;
}

void *heap_take(struct sys_heap *heap, size_t align, size_t bytes)
{
    uint32_t units = units_for(heap, bytes);
    uint32_t unit = 0;
    uint32_t gap = 0;
    void *mem;

    if (bytes == 0 || !heap_is_alignment(heap, align))
        return NULL;
    if (units != 0)
        unit = heap_list_find(heap, units, align, &gap);
    if (unit == 0) {
        heap->refused++;
        heap_publish(heap);
        return NULL;
    }
    unit = carve(heap, unit, gap, units);
    set_slack(heap, unit, bytes);
    mem = chunk_block(heap, unit);
    heap_publish(heap);
    if (heap_has_listeners())
        heap_listener_notify_alloc(HEAP_ID_FROM_POINTER(heap), mem,
                                   (size_t)chunk_units(heap, unit) *
                                       CHUNK_UNIT);
    return mem;
}

/* Return true if no other block begins in a chunk, in the first MAP_WORDS words
   of the map: an overwritten, larger size must not swallow blocks. */
static bool is_alone(const struct sys_heap *heap, uint32_t unit, uint32_t units)
{
    uint32_t last = unit + units - 1;
    uint32_t word = unit / 32;
    uint32_t bits = heap_map(heap)[word] & ~UINT32_C(1) << unit % 32;

    if (last / 32 - word >= MAP_WORDS)
        last = (word + MAP_WORDS) * 32 - 1;
    while (word < last / 32) {
        if (bits != 0)
            return false;
        bits = heap_map(heap)[++word];
    }
    return (bits & ~UINT32_C(0) >> (31 - last % 32)) == 0;
}

/* Check a used chunk without its neighbours. */
static bool is_sound_chunk(const struct sys_heap *heap, uint32_t unit)
{
    uint32_t units = chunk_units(heap, unit);

    return chunk_fits(heap, unit, units) &&
           (chunk_flags(heap, unit) & CHUNK_USED) != 0 &&
           (chunk_owner(heap, unit) & CHUNK_SLACK_MASK) <= chunk_room(units) &&
           (chunk_flags(heap, unit + units) & CHUNK_LEFT_USED) != 0 &&
           is_alone(heap, unit, units);
}

static bool is_sound_right(const struct sys_heap *heap, uint32_t unit)
{
    if (unit == heap->end)
        return *chunk_at(heap, unit) == END_MARK;
    if (!heap_map_has(heap, unit))
        return heap_is_sound_free(heap, unit);
    return is_sound_chunk(heap, unit);
}

static bool is_sound_used(const struct sys_heap *heap, uint32_t unit)
{
    uint32_t left;

    if (!is_sound_chunk(heap, unit) ||
        !is_sound_right(heap, unit + chunk_units(heap, unit)))
        return false;
    if ((chunk_flags(heap, unit) & CHUNK_LEFT_USED) != 0)
        return true;
    if (unit == heap->first)
        return false;
    left = chunk_link(heap, unit, CHUNK_UNITS_BEFORE);
    return left <= unit - heap->first &&
           chunk_units(heap, unit - left) == left &&
           heap_is_sound_free(heap, unit - left);
}

uint32_t heap_block_unit(struct sys_heap *heap, const void *mem)
{
    uintptr_t offset = (uintptr_t)mem - (uintptr_t)heap->base - CHUNK_HEADER;
    enum tally_heap_fault fault = TALLY_HEAP_DAMAGED;
    uint32_t unit = (uint32_t)(offset / CHUNK_UNIT);

    if (offset % CHUNK_UNIT != 0 || offset / CHUNK_UNIT < heap->first ||
        offset / CHUNK_UNIT + CHUNK_SMALLEST > heap->end) {
        heap_report_fault(heap, mem, TALLY_HEAP_FOREIGN);
        return 0;
    }
    if (!heap_map_has(heap, unit))
        fault = TALLY_HEAP_NOT_OUT;
    else if (is_sound_used(heap, unit))
        return unit;
    heap_report_fault(heap, mem, fault);
    return 0;
}

/* Counts of a walk over the chunks. */
struct census {
    uint32_t blocks;
    uint32_t spare;
    uint32_t used; /* units */
};

/* Check I1 and I2: chunks are contiguous up to the end mark, and no two free
   ones touch. */
static bool walk_chunks(const struct sys_heap *heap, struct census *census)
{
    uint32_t unit = heap->first;

    while (unit < heap->end) {
        uint32_t units = chunk_units(heap, unit);

        if (heap_map_has(heap, unit)) {
            if (!is_sound_used(heap, unit))
                return false;
            census->blocks++;
            census->used += units;
        } else {
            if (!heap_is_sound_free(heap, unit))
                return false;
            census->spare += units >= CHUNK_SMALLEST;
        }
        unit += units;
    }
    return unit == heap->end;
}

/* Check I3: only used chunks have a bit. */
static uint32_t count_map(const struct sys_heap *heap)
{
    uint32_t count = 0;

    for (uint32_t word = 0; word <= heap->end / 32; word++) {
        for (uint32_t bits = heap_map(heap)[word]; bits != 0; bits &= bits - 1)
            count++;
    }
    return count;
}

/* Check I4: the lists contain all free chunks, each in its own list. */
static bool walk_lists(const struct sys_heap *heap, uint32_t spare)
{
    uint32_t listed = 0;

    for (uint32_t bucket = 0; bucket < CHUNK_BUCKET_LIMIT; bucket++) {
        uint32_t bit = heap->filled[bucket / 32] >> bucket % 32 & 1;
        uint32_t unit = 0;

        if (bucket < heap->bucket_count)
            unit = chunk_link(heap, 0, HEAP_HEAD(bucket));
        if (bit != (unit != 0))
            return false;
        for (; unit != 0; unit = chunk_owner(heap, unit)) {
            if (listed++ == spare || !heap_is_sound_free(heap, unit) ||
                heap_bucket(chunk_units(heap, unit)) != bucket)
                return false;
        }
    }
    return listed == spare;
}

bool sys_heap_validate(struct sys_heap *heap)
{
    struct census census = { 0 };

    if (heap->end == 0)
        return true;
    return walk_chunks(heap, &census) && walk_lists(heap, census.spare) &&
           count_map(heap) == census.blocks && heap->blocks == census.blocks &&
           heap->spare == census.spare && heap->used == census.used &&
           heap->used <= heap->most && heap->most <= heap->end - heap->first;
}

static void release(struct sys_heap *heap, uint32_t unit)
{
    uint32_t units = chunk_units(heap, unit);
    uint32_t right = unit + units;

    heap_map_flip(heap, unit);
    heap->used -= units;
    heap->blocks--;
    if ((chunk_flags(heap, right) & CHUNK_USED) == 0) {
        units += chunk_units(heap, right);
        heap_list_unlink(heap, right);
    }
    if ((chunk_flags(heap, unit) & CHUNK_LEFT_USED) == 0) {
        uint32_t left = chunk_link(heap, unit, CHUNK_UNITS_BEFORE);

        unit -= left;
        units += left;
        heap_list_unlink(heap, unit);
    }
    set_free(heap, unit, units);
}

/* Return the chunk of a live block and its charge; or 0. */
static uint32_t read_block(struct sys_heap *heap, const void *mem,
                           struct tally_heap_block *block)
{
    uint32_t unit = heap_block_unit(heap, mem);

    *block = (struct tally_heap_block){ 0 };
    if (unit != 0)
        *block = chunk_charge(heap, unit);
    return unit;
}

bool tally_heap_block_free(struct sys_heap *heap, void *mem,
                           struct tally_heap_block *block)
{
    uint32_t unit = read_block(heap, mem, block);

    if (unit == 0)
        return false;
    if (heap_has_listeners())
        heap_listener_notify_free(HEAP_ID_FROM_POINTER(heap), mem,
                                  (size_t)chunk_units(heap, unit) * CHUNK_UNIT);
    release(heap, unit);
    heap_publish(heap);
    return true;
}

/* Free the units after the first `wanted`, or take them from the free chunk
   after it. */
static bool resize_chunk(struct sys_heap *heap, uint32_t unit, uint32_t wanted)
{
    uint32_t units = chunk_units(heap, unit);
    uint32_t right = unit + units;
    uint32_t total = units;
    bool is_right_free = (chunk_flags(heap, right) & CHUNK_USED) == 0;

    if (is_right_free)
        total += chunk_units(heap, right);
    if (wanted > total)
        return false;
    if (wanted == units)
        return true;
    if (is_right_free)
        heap_list_unlink(heap, right);
    *chunk_at(heap, unit + total) |= CHUNK_LEFT_USED;
    chunk_set(heap, unit, wanted, chunk_flags(heap, unit));
    if (wanted < total)
        set_free(heap, unit + wanted, total - wanted);
    heap->used -= units;
    add_used(heap, wanted);
    return true;
}

static bool resize_block(struct sys_heap *heap, uint32_t unit, size_t bytes)
{
    uint32_t old_units = chunk_units(heap, unit);
    uint32_t units = units_for(heap, bytes);
    uint32_t new_units;

    if (bytes == 0 || units == 0 || !resize_chunk(heap, unit, units))
        return false;
    set_slack(heap, unit, bytes);
    heap_publish(heap);
    new_units = chunk_units(heap, unit);
    if (heap_has_listeners() && new_units != old_units) {
        uintptr_t id = HEAP_ID_FROM_POINTER(heap);
        void *mem = chunk_block(heap, unit);

        heap_listener_notify_alloc(id, mem, (size_t)new_units * CHUNK_UNIT);
        heap_listener_notify_free(id, mem, (size_t)old_units * CHUNK_UNIT);
    }
    return true;
}

bool tally_heap_resize(struct sys_heap *heap, void *mem, size_t bytes)
{
    uint32_t unit = heap_block_unit(heap, mem);

    return unit != 0 && resize_block(heap, unit, bytes);
}

void *heap_change(struct sys_heap *heap, void *ptr, size_t align, size_t bytes,
                  struct tally_heap_block *before)
{
    uint32_t unit = read_block(heap, ptr, before);
    size_t room;
    void *moved;

    if (unit == 0 || !heap_is_alignment(heap, align))
        return NULL;
    if ((align == 0 || ((uintptr_t)ptr & (align - 1)) == 0) &&
        resize_block(heap, unit, bytes))
        return ptr;
    moved = heap_take(heap, align, bytes);
    if (moved == NULL)
        return NULL;
    room = chunk_room(chunk_units(heap, unit));
    memcpy(moved, ptr, room < bytes ? room : bytes);
    (void)tally_heap_block_free(heap, ptr, before);
    return moved;
}

size_t sys_heap_usable_size(struct sys_heap *heap, void *mem)
{
    uint32_t unit = heap_block_unit(heap, mem);

    return unit == 0 ? 0 : chunk_room(chunk_units(heap, unit));
}

bool tally_heap_block_read(struct sys_heap *heap, const void *mem,
                           struct tally_heap_block *block)
{
    return read_block(heap, mem, block) != 0;
}

void tally_heap_block_charge(struct sys_heap *heap, void *mem, uint32_t site,
                             size_t requested)
{
    uint32_t unit =
        (uint32_t)(((uintptr_t)mem - (uintptr_t)heap->base) / CHUNK_UNIT) -
        CHUNK_BY_FORM(0u, 1u);

    if (site >= CHUNK_SITE_LIMIT) {
        charge_end(site, requested); /* it could not be ended later */
        site = 0;
    }
    chunk_set_owner(
        heap, unit,
        site << CHUNK_SLACK_BITS |
            (uint32_t)(chunk_room(chunk_units(heap, unit)) - requested));
}

int sys_heap_runtime_stats_get(struct sys_heap *heap,
                               struct sys_memory_stats *stats)
{
    if (heap == NULL || stats == NULL)
        return INVALID;
    stats->allocated_bytes = (size_t)heap->used * CHUNK_UNIT;
    stats->max_allocated_bytes = (size_t)heap->most * CHUNK_UNIT;
    stats->free_bytes =
        (size_t)(heap->end - heap->first - heap->used) * CHUNK_UNIT;
    return 0;
}

int sys_heap_runtime_stats_reset_max(struct sys_heap *heap)
{
    if (heap == NULL)
        return INVALID;
    heap->most = heap->used;
    heap_publish(heap);
    return 0;
}

int tally_heap_figures_get(const struct sys_heap *heap,
                           struct tally_heap_figures *figures)
{
    uint32_t spare, largest;

    if (heap == NULL || figures == NULL)
        return INVALID;
    spare = heap->end - heap->first - heap->used;
    largest = heap_list_largest(heap, heap->spare);
    *figures = (struct tally_heap_figures){
        .blocks = heap->blocks,
        .free_chunks = heap->spare,
        .refused = heap->refused,
    };
    if (largest != 0)
        figures->largest_free = chunk_room(largest);
    /* Scaled to 32 bits: firmware divides 64 bits slowly. */
    while (spare > UINT32_MAX / 1000) {
        spare /= 2;
        largest /= 2;
    }
    if (spare != 0)
        figures->fragmentation = (spare - largest) * 1000 / spare;
    for (unsigned i = 0; i < sizeof heap->faults / sizeof heap->faults[0]; i++)
        figures->faults += heap->faults[i];
    return 0;
}

static const struct tally_heap_block unrecorded = { 0 };

void heap_charge(struct sys_heap *heap, void *mem, size_t bytes,
                 const struct tally_heap_block *before)
{
    tally_reference reference = charge_in_force(bytes);

    charge_end(before->site, before->requested);
    if (reference != 0 || before->site != 0)
        tally_heap_block_charge(heap, mem, reference, bytes);
}

static void *allocate(struct sys_heap *heap, size_t align, size_t bytes,
                      void *caller)
{
    bool is_told = tell_begins();
    void *mem = heap_take(heap, align, bytes);

    if (mem != NULL)
        heap_charge(heap, mem, bytes, &unrecorded);
    if (is_told)
        tell_malloc(mem, bytes, caller);
    if (sample_made(mem, bytes, caller))
        return mem;
    sys_heap_free(heap, mem);
    return NULL;
}

void *sys_heap_aligned_alloc(struct sys_heap *heap, size_t align, size_t bytes)
{
    return allocate(heap, align, bytes, TELL_CALLER);
}

void *sys_heap_alloc(struct sys_heap *heap, size_t bytes)
{
    return allocate(heap, 0, bytes, TELL_CALLER);
}

void *sys_heap_noalign_alloc(struct sys_heap *heap, size_t align, size_t bytes)
{
    (void)align;
    return allocate(heap, 0, bytes, TELL_CALLER);
}

void sys_heap_free(struct sys_heap *heap, void *mem)
{
    struct tally_heap_block block;
    bool is_told;

    sample_freed(mem);
    is_told = tell_begins();
    if (mem != NULL && tally_heap_block_free(heap, mem, &block))
        charge_end(block.site, block.requested);
    if (is_told)
        tell_free(mem, TELL_CALLER);
}

static void *change(struct sys_heap *heap, void *ptr, size_t align,
                    size_t bytes, void *caller)
{
    struct tally_heap_block before;
    void *mem;

    if (ptr == NULL)
        return allocate(heap, align, bytes, caller);
    if (bytes == 0) {
        sys_heap_free(heap, ptr);
        return NULL;
    }
    mem = heap_change(heap, ptr, align, bytes, &before);
    if (mem != NULL)
        heap_charge(heap, mem, bytes, &before);
    return mem;
}

/* Inner calls emit no events: the trace's lock is held. */
static void *reallocate(struct sys_heap *heap, void *ptr, size_t align,
                        size_t bytes, void *caller)
{
    struct sample_old old = sample_take(ptr);
    bool is_told = tell_begins();
    void *mem = change(heap, ptr, align, bytes, caller);

    if (is_told)
        tell_realloc(mem, ptr, bytes, caller);
    sample_finish(&old, mem != NULL || bytes == 0);
    if (ptr != NULL)
        (void)sample_made(mem, bytes, caller);
    return mem;
}

void *sys_heap_aligned_realloc(struct sys_heap *heap, void *ptr, size_t align,
                               size_t bytes)
{
    return reallocate(heap, ptr, align, bytes, TELL_CALLER);
}

void *sys_heap_realloc(struct sys_heap *heap, void *ptr, size_t bytes)
{
    return reallocate(heap, ptr, 0, bytes, TELL_CALLER);
}
