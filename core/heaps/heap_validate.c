/* SPDX-License-Identifier: Apache-2.0 */
/* heap_validate.c - invariants I1 to I4 of heap_chunk.h, over a whole heap */
#include "core/heaps/heap_chunk.h"

/* What a walk over the chunks counts. */
struct census {
    uint32_t blocks;
    uint32_t spare;
    uint32_t used; /* units */
};

/* I1, I2: side by side up to the end mark, and no two free ones touch. */
static bool walk_chunks(const struct sys_heap *heap, struct census *census)
{
    uint32_t unit = heap->first;

    while (unit < heap->end) {
        uint32_t units = chunk_units(heap, unit);

        if (heap_map_has(heap, unit)) {
            if (!heap_is_sound_used(heap, unit))
                return false;
            census->blocks++;
            census->used += units;
        } else {
            if (!heap_is_sound_free(heap, unit))
                return false;
            census->spare++;
        }
        unit += units;
    }
    return unit == heap->end;
}

/* I3: no bit but those of the used chunks. */
static uint32_t count_map(const struct sys_heap *heap)
{
    uint32_t count = 0;

    for (uint32_t word = 0; word <= heap->end / 32; word++) {
        for (uint32_t bits = heap_map(heap)[word]; bits != 0; bits &= bits - 1)
            count++;
    }
    return count;
}

/* I4: the lists hold as many as there are, each in its own. */
static bool walk_lists(const struct sys_heap *heap, uint32_t spare)
{
    uint32_t listed = 0;

    for (uint32_t bucket = 0; bucket < CHUNK_BUCKET_LIMIT; bucket++) {
        uint32_t bit = heap->filled[bucket / 32] >> bucket % 32 & 1;
        uint32_t unit = 0;

        if (bucket < heap->bucket_count)
            unit = heap_head(heap, bucket);
        if (bit != (unit != 0))
            return false;
        for (; unit != 0; unit = chunk_owner(heap, unit)) {
            if (listed++ == spare || !heap_is_sound_free(heap, unit) ||
                heap_bucket(heap, chunk_units(heap, unit)) != bucket)
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
