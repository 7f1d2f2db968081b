/* SPDX-License-Identifier: Apache-2.0 */
/* frame_writer.c - the tree of calls whose leaves are sites: ledger_writer.h */
#include "ledger/space/ledger_space.h"
#include "ledger/space/ledger_writer.h"

static struct {
    uint64_t offsets[LEDGER_FRAME_SEGMENTS];
    uint32_t next; /* index of the next frame */
} frames = { .next = 1 };

struct ledger_frame *ledger_frame_at(uint32_t index)
{
    uint32_t segment = index / LEDGER_FRAMES_PER_SEGMENT;
    uint64_t offset =
        segment < LEDGER_FRAME_SEGMENTS
            ? __atomic_load_n(&frames.offsets[segment], __ATOMIC_ACQUIRE)
            : 0;
    struct ledger_frame *at =
        offset == 0 ? NULL : (void *)ledger_space_at(offset);

    return at == NULL ? NULL : at + index % LEDGER_FRAMES_PER_SEGMENT;
}

/* The next index, or 0: there is no more room. */
static uint32_t take_index(void)
{
    const uint32_t limit = LEDGER_FRAME_SEGMENTS * LEDGER_FRAMES_PER_SEGMENT;
    uint32_t index = __atomic_load_n(&frames.next, __ATOMIC_RELAXED);

    while (index < limit &&
           !__atomic_compare_exchange_n(&frames.next, &index, index + 1, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    return index < limit ? index : 0;
}

uint32_t ledger_write_frame(uint32_t parent, uintptr_t address, uint32_t module)
{
    uint32_t index = take_index();
    uint32_t segment = index / LEDGER_FRAMES_PER_SEGMENT;
    struct ledger_frame *frame;

    if (index == 0 || ledger_space_is_for_calls() ||
        ledger_space_segment(LEDGER_SEGMENT_FRAMES, segment,
                             LEDGER_FRAMES_PER_SEGMENT *
                                 sizeof(struct ledger_frame),
                             &frames.offsets[segment]) == 0)
        return 0;
    frame = ledger_frame_at(index);
    if (frame == NULL)
        return 0;
    frame->parent = parent;
    frame->module = module;
    __atomic_store_n(&frame->address, address, __ATOMIC_RELEASE);
    return index;
}
