/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shadow_blocks.h - the blocks of a running process, in rising order
 *
 * Read out of its shadow (ledger/shards/shadow.h) without a lock, while it
 * allocates and frees: a region at a time, and of that only what was written.
 * A block that changes meanwhile is left out or comes as it was; one that the
 * next one overlaps is gone and ends where that begins. Nothing that is read is
 * trusted: blocks never overlap and never go backwards, whatever it says.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tool/session/find/process_state.h"

/* How another process is looked at; tests have a scripted one. */
struct process_view {
    /* `size` bytes of its memory; false: not all of them. */
    bool (*read_memory)(void *context, uint64_t address, void *to, size_t size);
    /* Words of its page map, for `count` pages from number `page` on. */
    bool (*read_pages)(void *context, uint64_t page, size_t count,
                       uint64_t *words);
    void *context;
};

struct shadow_block {
    uint64_t start; /* [start, end): what it takes of the heap. libc's blocks
                       have a word before them, and are rounded up */
    uint64_t end;
    uint64_t asked; /* [asked, asked_end): what the program asked for */
    uint64_t asked_end;
    uint32_t reference; /* of its site */
    bool is_id;         /* the reference is the site's id: it was compressed */
};

typedef void visit_block_fn(const struct shadow_block *block, void *context);

/*
 * Call `visit` for each block that the struct ledger_shadow at `address` knows.
 * How many were left out comes in `*left_out`. False: there is no such shadow,
 * or no memory for it.
 */
bool shadow_blocks_visit(const struct process_view *view, uint64_t address,
                         visit_block_fn *visit, void *context,
                         uint64_t *left_out);
