/* SPDX-License-Identifier: Apache-2.0 */
/* stack_verify.c - comparing frame by frame; see stack_verify.h */
#include "recorder/stacks/stack_verify.h"

#include "ledger/record/record.h"
#include "ledger/space/ledger_writer.h"

/* What is wrong, where a debugger finds it. */
static volatile struct {
    uint32_t word;
    uint32_t frame; /* number of the first one that differs */
    uintptr_t kept, found;
} difference;

static void require(uint32_t word, uint32_t frame, uintptr_t kept,
                    uintptr_t found)
{
    if (kept == found)
        return;
    difference.word = word;
    difference.frame = frame;
    difference.kept = kept;
    difference.found = found;
    __builtin_trap();
}

void stack_verify(uint32_t word, const struct unwinder *unwinder,
                  uint32_t first)
{
    const struct ledger_site *site = ledger_site_of(word & ~REFERENCE_BIT);
    uint32_t index = site->frame;

    require(word, first, site->address, unwinder->frames[first]);
    for (uint32_t i = first + 1; i < unwinder->frame_count; i++) {
        const struct ledger_frame *frame = ledger_frame_at(index);

        require(word, i, frame == NULL ? 0 : frame->address,
                unwinder->frames[i]);
        index = frame->parent;
    }
    require(word, unwinder->frame_count, index,
            unwinder->is_cut ? LEDGER_FRAME_CUT : 0);
}
