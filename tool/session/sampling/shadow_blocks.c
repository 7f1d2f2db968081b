/* SPDX-License-Identifier: Apache-2.0 */
/* shadow_blocks.c - read blocks from the words beside a heap */
#include "tool/session/sampling/sampling.h"

#include <stdlib.h>
#include <string.h>

#include "format/ledger/reference.h"

#define REGION     (UINT64_C(1) << LEDGER_SHADOW_REGION_SHIFT)
#define MOST_BYTES (UINT64_C(1) << 47) /* limit of the size of a block */

enum {
    MOST_WORDS = (1 << (LEDGER_SHADOW_REGION_SHIFT - 3)) + REFERENCE_WORDS,
    MOST_PAGES = MOST_WORDS * sizeof(uint32_t) / PAGE_BYTES + 1,
};

struct region {
    uint64_t start;
    uint64_t leaf;
};

struct walk {
    const struct process_view *view;
    visit_block_fn *visit;
    void *context;
    uint64_t *left_out;
    struct ledger_shadow shadow;
    struct region regions[LEDGER_SHADOW_SLOTS];
    struct shadow_block last; /* not visited yet: the next block may shorten
                                 it */
    uint64_t pages[MOST_PAGES];
    uint32_t leaf[MOST_PAGES * PAGE_BYTES / sizeof(uint32_t)];
};

static int compare(const void *left, const void *right)
{
    const struct region *a = left, *b = right;

    return (a->start > b->start) - (a->start < b->start);
}

static size_t list_regions(struct walk *walk)
{
    size_t count = 0;

    for (size_t i = 0; i < LEDGER_SHADOW_SLOTS; i++) {
        uint64_t claim = walk->shadow.claims[i];
        uint64_t leaf = walk->shadow.slots[i].leaf;

        if (claim != 0 && leaf != 0 && leaf % PAGE_BYTES == 0)
            walk->regions[count++] =
                (struct region){ (claim - 1) << LEDGER_SHADOW_REGION_SHIFT,
                                 leaf };
    }
    qsort(walk->regions, count, sizeof *walk->regions, compare);
    return count;
}

/* Read one leaf. Words that were never written stay 0 and take no memory. */
static void read_leaf(struct walk *walk, uint64_t leaf, size_t size)
{
    size_t count = (size + PAGE_BYTES - 1) / PAGE_BYTES, end;
    char *bytes = (char *)walk->leaf;

    memset(bytes, 0, sizeof walk->leaf);
    if (!walk->view->read_pages(walk->view->context, leaf / PAGE_BYTES, count,
                                walk->pages)) {
        ++*walk->left_out;
        return;
    }
    for (size_t i = 0; i < count; i = end + 1) {
        const uint64_t is_used = PAGE_IS_PRESENT | PAGE_IS_SWAPPED;

        for (end = i; end < count && (walk->pages[end] & is_used) != 0; end++)
            ;
        if (end > i && !walk->view->read_memory(
                           walk->view->context, leaf + i * PAGE_BYTES,
                           bytes + i * PAGE_BYTES, (end - i) * PAGE_BYTES)) {
            memset(bytes + i * PAGE_BYTES, 0, (end - i) * PAGE_BYTES);
            ++*walk->left_out;
        }
    }
}

static void visit_last(struct walk *walk)
{
    if (walk->last.end != 0)
        walk->visit(&walk->last, walk->context);
    walk->last.end = 0;
}

static void add(struct walk *walk, uint64_t address, struct reference found)
{
    bool is_libc = walk->shadow.granule_log2 == 4;
    uint64_t chunk = (found.size + 8 + 15) / 16 * 16; /* rounded as glibc
                                                         does */
    struct shadow_block block = {
        .start = address - (is_libc ? 8 : 0),
        .asked = address,
        .asked_end = address + found.size,
        .reference = found.id,
        .is_id = walk->shadow.is_compressed != 0,
    };
    struct shadow_block *last = &walk->last;

    if (found.size >= MOST_BYTES || address < 16) {
        ++*walk->left_out;
        return;
    }
    if (is_libc)
        block.end = block.start + (chunk < 32 ? 32 : chunk);
    else
        block.end = address + (found.size == 0 ? 1 : found.size);
    if (last->end > block.start) {
        last->end = block.start;
        if (last->asked_end > block.start)
            last->asked_end = block.start;
        ++*walk->left_out;
    }
    visit_last(walk);
    *last = block;
}

/* Return the reference at a word that is not 0, and the number of words to
   advance. */
static struct reference get(const struct walk *walk, size_t at, size_t *step)
{
    const uint16_t *compressed =
        (const uint16_t *)(const void *)walk->leaf + at;
    struct reference none = { 0, 0 }, found;

    *step = 1;
    if (!walk->shadow.is_compressed)
        return reference_get(walk->leaf + at);
    /* A word from this number on is the size of a freed block. */
    if (!walk->shadow.is_wide && compressed[0] >= REFERENCE_COMPRESSED_SIZE)
        return none;
    found = reference_get_compressed(compressed);
    *step = found.size < REFERENCE_COMPRESSED_ESCAPE ? 2 : REFERENCE_WORDS;
    return found;
}

static void walk_region(struct walk *walk, const struct region *region)
{
    const struct ledger_shadow *shadow = &walk->shadow;
    size_t size = shadow->is_compressed ? sizeof(uint16_t) : sizeof(uint32_t);
    size_t count = (size_t)REGION >> shadow->granule_log2, step;

    read_leaf(walk, region->leaf, (count + REFERENCE_WORDS) * size);
    for (size_t i = 0; i < count; i += step) {
        struct reference found;

        step = 1;
        if (shadow->is_compressed
                ? ((const uint16_t *)(const void *)walk->leaf)[i] == 0
                : walk->leaf[i] == 0)
            continue;
        found = get(walk, i, &step);
        if (found.id != 0)
            add(walk, region->start + ((uint64_t)i << shadow->granule_log2),
                found);
    }
}

bool shadow_blocks_visit(const struct process_view *view, uint64_t address,
                         visit_block_fn *visit, void *context,
                         uint64_t *left_out)
{
    struct walk *walk = calloc(1, sizeof *walk);
    bool is_read;

    *left_out = 0;
    if (walk == NULL)
        return false;
    walk->view = view;
    walk->visit = visit;
    walk->context = context;
    walk->left_out = left_out;
    is_read = view->read_memory(view->context, address, &walk->shadow,
                                sizeof walk->shadow) &&
              walk->shadow.granule_log2 - 3 <= 1 &&
              walk->shadow.is_compressed <= 1 && walk->shadow.is_wide <= 1;
    for (size_t i = 0, count = is_read ? list_regions(walk) : 0; i < count; i++)
        if (i == 0 || walk->regions[i].start != walk->regions[i - 1].start)
            walk_region(walk, &walk->regions[i]);
    visit_last(walk);
    free(walk);
    return is_read;
}
