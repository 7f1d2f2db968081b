/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_lists.c - free chunks of a sys_heap by size, and its faults
 *
 * Chunks in a higher list are larger than all in a lower one, so the head of
 * any list above the request's own fits; a bitmap finds it. The request's own
 * list is tried first, a few chunks deep, to preserve large chunks. Before a
 * request is refused, more of it is searched.
 */
#include "core/accounts/engine.h"
#include "core/base/console_line.h"
#include "core/heaps/heap_chunk.h"

enum { FIRST_TRIES = 3, LAST_TRIES = 61, LARGEST_TRIES = 4 };

static tally_heap_fault_fn fault_handler;

void tally_heap_on_fault(tally_heap_fault_fn handler)
{
    __atomic_store_n(&fault_handler, handler, __ATOMIC_RELEASE);
}

static void handle(struct sys_heap *heap, const void *mem,
                   enum tally_heap_fault fault)
{
    static const char *const sentences[] = {
        [TALLY_HEAP_FOREIGN] = "a pointer that no block can have was given",
        [TALLY_HEAP_NOT_OUT] = "a block that is not out was given",
        [TALLY_HEAP_DAMAGED] = "a block's header was written over",
        [TALLY_HEAP_ALIGNMENT] = "an alignment is no power of two",
        [TALLY_HEAP_LOST] =
            "memory is given up: a list is damaged, or a region too large",
    };

    (void)mem;
    if (FAULT_IS_TOLD)
        console_tell_fault("heap", tally_heap_name(heap), sentences[fault]);
}

void heap_report_fault(struct sys_heap *heap, const void *mem,
                       enum tally_heap_fault fault)
{
    tally_heap_fault_fn handler =
        __atomic_load_n(&fault_handler, __ATOMIC_ACQUIRE);

    heap->faults[fault]++;
    heap_publish(heap);
    (handler == NULL ? handle : handler)(heap, mem, fault);
}

bool heap_is_alignment(struct sys_heap *heap, size_t align)
{
    if ((align & (align - 1)) == 0)
        return true;
    heap_report_fault(heap, NULL, TALLY_HEAP_ALIGNMENT);
    return false;
}

static void mark_empty(struct sys_heap *heap, uint32_t bucket)
{
    heap->filled[bucket / 32] &= ~(UINT32_C(1) << bucket % 32);
}

static bool is_filled(const struct sys_heap *heap, uint32_t bucket)
{
    return (heap->filled[bucket / 32] >> bucket % 32 & 1) != 0;
}

/* Return the first non-empty list from `bucket` on, or bucket_count. */
static uint32_t next_filled(const struct sys_heap *heap, uint32_t bucket)
{
    uint32_t word = bucket / 32;
    uint32_t bits;

    if (bucket >= heap->bucket_count)
        return heap->bucket_count;
    bits = heap->filled[word] & ~UINT32_C(0) << bucket % 32;
    while (bits == 0) {
        if (++word == CHUNK_BUCKET_LIMIT / 32)
            return heap->bucket_count;
        bits = heap->filled[word];
    }
    return word * 32 + (uint32_t)__builtin_ctz(bits);
}

/* Abandon a list whose head is not a free chunk, instead of handing its chunks
   out. */
static void give_up_list(struct sys_heap *heap, uint32_t bucket)
{
    uint32_t unit = chunk_link(heap, 0, HEAP_HEAD(bucket));

    chunk_set_link(heap, 0, HEAP_HEAD(bucket), 0);
    mark_empty(heap, bucket);
    heap_report_fault(heap, chunk_at(heap, unit), TALLY_HEAP_LOST);
}

void heap_list_push(struct sys_heap *heap, uint32_t unit)
{
    uint32_t bucket = heap_bucket(chunk_units(heap, unit));
    uint32_t head = chunk_link(heap, 0, HEAP_HEAD(bucket));

    if (head != 0 && (!chunk_fits(heap, head, CHUNK_SMALLEST) ||
                      chunk_link(heap, head, CHUNK_PREVIOUS) != 0)) {
        give_up_list(heap, bucket);
        head = 0;
    }
    chunk_set_owner(heap, unit, head);
    chunk_set_link(heap, unit, CHUNK_PREVIOUS, 0);
    if (head != 0)
        chunk_set_link(heap, head, CHUNK_PREVIOUS, unit);
    chunk_set_link(heap, 0, HEAP_HEAD(bucket), unit);
    heap->filled[bucket / 32] |= UINT32_C(1) << bucket % 32;
    INVARIANT(I4, is_filled(heap, bucket) &&
                      chunk_link(heap, 0, HEAP_HEAD(bucket)) == unit);
    heap->spare++;
}

void heap_list_unlink(struct sys_heap *heap, uint32_t unit)
{
    uint32_t bucket = heap_bucket(chunk_units(heap, unit));
    uint32_t next = chunk_owner(heap, unit);
    uint32_t previous = chunk_link(heap, unit, CHUNK_PREVIOUS);

    if (chunk_units(heap, unit) < CHUNK_SMALLEST)
        return;
    if (next != 0)
        chunk_set_link(heap, next, CHUNK_PREVIOUS, previous);
    if (previous != 0)
        chunk_set_owner(heap, previous, next);
    else
        chunk_set_link(heap, 0, HEAP_HEAD(bucket), next);
    if (chunk_link(heap, 0, HEAP_HEAD(bucket)) == 0)
        mark_empty(heap, bucket);
    heap->spare--;
}

bool heap_is_sound_free(const struct sys_heap *heap, uint32_t unit)
{
    uint32_t units, right, next, previous;

    if (unit < heap->first || unit >= heap->end || heap_map_has(heap, unit))
        return false;
    units = chunk_units(heap, unit);
    right = unit + units;
    if (units - 1 >= heap->end - unit ||
        chunk_flags(heap, unit) != CHUNK_LEFT_USED ||
        chunk_link(heap, right, CHUNK_UNITS_BEFORE) != units ||
        chunk_flags(heap, right) != CHUNK_USED)
        return false;
    if (units < CHUNK_SMALLEST)
        return true;
    next = chunk_owner(heap, unit);
    previous = chunk_link(heap, unit, CHUNK_PREVIOUS);
    if (next != 0 && (!chunk_fits(heap, next, CHUNK_SMALLEST) ||
                      chunk_link(heap, next, CHUNK_PREVIOUS) != unit))
        return false;
    if (previous == 0)
        return chunk_link(heap, 0, HEAP_HEAD(heap_bucket(units))) == unit;
    return chunk_fits(heap, previous, CHUNK_SMALLEST) &&
           chunk_owner(heap, previous) == unit;
}

/* Return the units to leave free in this chunk before a block aligned to
   `align`. */
static uint64_t gap_before(const struct sys_heap *heap, uint32_t unit,
                           size_t align)
{
    uintptr_t block = (uintptr_t)chunk_block(heap, unit);

    return align <= CHUNK_UNIT ? 0 : (-block & (align - 1)) / CHUNK_UNIT;
}

struct request {
    uint32_t units;
    size_t align;
    uint32_t gap; /* gap of the chunk that was found */
};

/* Examine up to `tries` chunks of one list. */
static uint32_t search_list(struct sys_heap *heap, uint32_t bucket,
                            uint32_t tries, struct request *request)
{
    uint32_t unit = chunk_link(heap, 0, HEAP_HEAD(bucket));

    if (unit == 0 && is_filled(heap, bucket))
        give_up_list(heap, bucket);
    for (; unit != 0 && tries > 0; tries--) {
        uint64_t gap;

        if (!heap_is_sound_free(heap, unit) ||
            heap_bucket(chunk_units(heap, unit)) != bucket) {
            give_up_list(heap, bucket);
            return 0;
        }
        gap = gap_before(heap, unit, request->align);
        if (gap + request->units <= chunk_units(heap, unit)) {
            request->gap = (uint32_t)gap;
            if (!heap_map_has(heap, unit + request->gap))
                return unit;
            give_up_list(heap, bucket); /* a block is in it: damage */
            return 0;
        }
        unit = chunk_owner(heap, unit);
    }
    return 0;
}

/* Return a list in which every chunk is large enough, whatever its gap. */
static uint32_t certain_bucket(const struct sys_heap *heap,
                               const struct request *request)
{
    uint64_t units = (uint64_t)request->units + request->align / CHUNK_UNIT - 1;

    return units >= CHUNK_UNIT_LIMIT ? heap->bucket_count
                                     : heap_bucket((uint32_t)units) + 1;
}

/* Search all lists that may fit, deeper, before the request is refused. */
static uint32_t search_on(struct sys_heap *heap, uint32_t own, uint32_t certain,
                          struct request *request)
{
    uint32_t tries = LAST_TRIES;
    uint32_t bucket = next_filled(heap, own);
    uint32_t found = 0;

    while (found == 0 && tries > 0 && bucket < certain &&
           bucket < heap->bucket_count) {
        uint32_t share = bucket + 1 == certain ? tries : (tries + 1) / 2;

        found = search_list(heap, bucket, share, request);
        tries -= share;
        bucket = next_filled(heap, bucket + 1);
    }
    return found;
}

uint32_t heap_list_find(struct sys_heap *heap, uint32_t units, size_t align,
                        uint32_t *gap)
{
    struct request request = { units, align, 0 };
    uint32_t own = heap_bucket(units);
    uint32_t certain = own + 1;
    uint32_t found = 0;
    uint32_t bucket;

    if (is_filled(heap, own))
        found = search_list(heap, own, FIRST_TRIES, &request);
    if (found == 0) {
        if (align > CHUNK_UNIT)
            certain = certain_bucket(heap, &request);
        while (found == 0 &&
               (bucket = next_filled(heap, certain)) < heap->bucket_count)
            found = search_list(heap, bucket, 1, &request);
        if (found == 0)
            found = search_on(heap, own, certain, &request);
    }
    *gap = request.gap;
    return found;
}

/* Return the last non-empty list, or bucket_count. */
static uint32_t last_filled(const struct sys_heap *heap)
{
    for (uint32_t word = CHUNK_BUCKET_LIMIT / 32; word-- > 0;) {
        uint32_t bits = heap->filled[word];
        uint32_t bucket;

        if (bits == 0)
            continue;
        bucket = word * 32 + 31 - (uint32_t)__builtin_clz(bits);
        return bucket < heap->bucket_count ? bucket : heap->bucket_count;
    }
    return heap->bucket_count;
}

uint32_t heap_list_largest(const struct sys_heap *heap, uint32_t tries)
{
    uint32_t bucket = last_filled(heap);
    uint32_t largest = 0;

    if (bucket == heap->bucket_count)
        return 0;
    for (uint32_t unit = chunk_link(heap, 0, HEAP_HEAD(bucket));
         tries > 0 && heap_is_sound_free(heap, unit); tries--) {
        if (chunk_units(heap, unit) > largest)
            largest = chunk_units(heap, unit);
        unit = chunk_owner(heap, unit);
    }
    return largest;
}

void heap_publish_now(const struct sys_heap *heap)
{
    struct ledger_region *region = heap->entry->region;
    uint64_t faults = 0;

    if (!engine_has_ledger())
        return;
    for (unsigned i = 0; i < sizeof heap->faults / sizeof heap->faults[0]; i++)
        faults += heap->faults[i];
    region->used = (uint64_t)heap->used * CHUNK_UNIT;
    region->peak = (uint64_t)heap->most * CHUNK_UNIT;
    region->largest_and_1 =
        1 + (uint64_t)heap_list_largest(heap, LARGEST_TRIES) * CHUNK_UNIT;
    region->faults = faults;
    if (heap->entry->kind == LEDGER_REGION_HEAP)
        region->refused = heap->refused;
}
