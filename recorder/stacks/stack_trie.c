/* SPDX-License-Identifier: Apache-2.0 */
/* stack_trie.c - frames and sites by their contents; see stack_trie.h */
#include "recorder/stacks/stack_trie.h"

#include "core/accounts/site_table.h"
#include "ledger/blocks/ledger_blocks.h"
#include "ledger/space/ledger_writer.h"
#include "ledger/space/process.h"
#include "tally/error.h"

/* keys tried for one frame before giving up */
enum { KEYS = 4 };

static struct site_table frames;
static struct site_table sites;

int stack_trie_open(void)
{
    int error = site_table_open(&frames, SITE_TABLE_SMALL);

    return error == TALLY_OK ? site_table_open(&sites, SITE_TABLE_SMALL)
                             : error;
}

void stack_trie_forget(void)
{
    site_table_sleep(&frames, 0, UINTPTR_MAX);
    site_table_sleep(&sites, 0, UINTPTR_MAX);
}

void stack_trie_adopt(void)
{
    site_table_adopt(&frames);
    site_table_adopt(&sites);
}

struct place {
    const struct kind_of_place *of;
    struct module_range *near;
    uint32_t frame; /* its parent; for a site its frame */
    uintptr_t address;
    uint32_t module;            /* once it is known */
    bool is_new;                /* its parent, then it itself */
    bool is_cut;                /* site only: frames are missing */
    enum ledger_site_kind kind; /* site only */
};

struct kind_of_place {
    struct site_table *table;
    /* Return the module of `id` if it has these contents, or NULL. */
    const uint32_t *(*module_if_same)(uint32_t id, const struct place *place);
    uint32_t (*write)(const struct place *place);
};

/* Scatter keys, as the table probes linearly; never return 0, 1 or a sleeping
   key. */
static uintptr_t key_of(const struct place *place, unsigned attempt)
{
    uint64_t key = place->address + ((uint64_t)place->frame << 32) +
                   place->frame + ((uint64_t)attempt << 56) +
                   ((uint64_t)place->kind << 60);

    key = (key ^ key >> 32) * UINT64_C(0xd6e8feb86659fd93);
    key = (key ^ key >> 32) * UINT64_C(0xd6e8feb86659fd93);
    key = (key ^ key >> 32) >> 1;
    return (uintptr_t)(key < 2 ? key + 2 : key);
}

static const uint32_t *module_of_frame(uint32_t id, const struct place *place)
{
    const struct ledger_frame *frame = ledger_frame_at(id);

    return frame != NULL && frame->parent == place->frame &&
                   frame->address == place->address
               ? &frame->module
               : NULL;
}

static const uint32_t *module_of_site(uint32_t word, const struct place *place)
{
    const struct ledger_site *site = ledger_site_of(word & ~REFERENCE_BIT);

    return site != NULL && site->frame == place->frame &&
                   site->address == place->address && site->kind == place->kind
               ? &site->module
               : NULL;
}

static bool is_it(uint32_t id, const struct place *place)
{
    return place->of->module_if_same(id, place) != NULL;
}

static bool is_of_module(uint32_t id, void *context)
{
    const struct place *place = context;

    return is_it(id, place) &&
           *place->of->module_if_same(id, place) == place->module;
}

static uint32_t write_frame(const struct place *place)
{
    return ledger_write_frame(place->frame, place->address, place->module);
}

static uint32_t write_site(const struct place *place)
{
    uint32_t id = ledger_write_stack(place->kind, place->address, place->module,
                                     place->frame);

    if (id != 0 && place->is_cut)
        process_count(LEDGER_COUNT_truncated_stacks, 1);
    return id == 0 ? 0 : ledger_word_of(id);
}

static const struct kind_of_place frame_kind = { &frames, module_of_frame,
                                                 write_frame };
static const struct kind_of_place site_kind = { &sites, module_of_site,
                                                write_site };

static NOINLINE uint32_t open_place(struct place *place, uintptr_t key)
{
    struct site_table *table = place->of->table;
    uint32_t id = 0, first;

    place->module = modules_find_near(place->address, place->near);
    if (!place->is_new)
        id = site_table_wake(table, key, is_of_module, place);
    if (id == 0 && !place->is_new)
        id = site_table_search(table, key);
    if (id != 0 && is_it(id, place))
        return id;
    if (!site_table_takes_more(table))
        return 0;
    place->is_new = true;
    id = place->of->write(place);
    if (id == 0)
        return 0;
    /* Another thread may come first, or the table may be full. */
    first = site_table_enter(table, key, id);
    return first != id && first != 0 && is_it(first, place) ? first : id;
}

static uint32_t find(struct place *place)
{
    if (place->is_new)
        return open_place(place, key_of(place, 0));
    for (unsigned attempt = 0; attempt < KEYS; attempt++) {
        uintptr_t key = key_of(place, attempt);
        uint32_t id = site_table_search(place->of->table, key);

        if (id == 0)
            return open_place(place, key);
        if (is_it(id, place))
            return id;
    }
    return 0;
}

uint32_t stack_trie_frame(struct module_range *near, uint32_t parent,
                          uintptr_t address, bool *is_new)
{
    struct place place = { .of = &frame_kind,
                           .near = near,
                           .frame = parent,
                           .address = address,
                           .is_new = *is_new };
    uint32_t frame = find(&place);

    *is_new = place.is_new;
    return frame;
}

uint32_t stack_trie_site(struct module_range *near, enum ledger_site_kind kind,
                         uint32_t frame, uintptr_t caller, bool is_cut,
                         bool is_new)
{
    return find(&(struct place){ .of = &site_kind,
                                 .near = near,
                                 .frame = frame,
                                 .address = caller,
                                 .is_new = is_new,
                                 .is_cut = is_cut,
                                 .kind = kind });
}
