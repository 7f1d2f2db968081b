/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alloc_tag.c - the tag in force, and the accounts of tags
 *
 * Two threads may open a tag at once; the account of the one that comes second
 * stays empty, and no lock is needed.
 */
#include "core/tags/alloc_tag.h"

#include "core/accounts/engine.h"
#include "core/accounts/mem_profiling.h"
#include "core/base/console_line.h"
#include "core/base/own_memory.h"
#include "core/tags/charge.h"
#include "core/tags/tag_objects.h"
#include "tally/hook.h"
#include "tally/port.h"

TALLY_THREAD_LOCAL struct alloc_tag *tally_current_tag TALLY_TLS_MODEL;
TALLY_THREAD_LOCAL struct alloc_tag *tally_pending_tag TALLY_TLS_MODEL;

void alloc_tag_lose(struct alloc_tag *tag)
{
    __atomic_fetch_or(&tag->flags, ALLOC_TAG_INACCURATE, __ATOMIC_RELAXED);
}

uint32_t alloc_tag_open(struct alloc_tag *tag)
{
    struct tally_place place = {
        .file = tag->file,
        .function = tag->function,
        .module = tag->modname,
        .line = tag->lineno,
    };
    uint32_t none = 0;
    uint32_t site;

    if ((tag->flags & ALLOC_TAG_AT_USE) != 0) {
        tag_objects_use((struct tally_used_tag *)(void *)tag);
        place.module = tag->modname;
        site = __atomic_load_n(&tag->site, __ATOMIC_ACQUIRE);
        if (site != 0) {
            engine_move_site(site, (uintptr_t)tag);
            return site;
        }
    }
    /* Firmware's engine needs no names, and is spared putting them together. */
    site =
        tally_site_open_place((uintptr_t)tag, __STDC_HOSTED__ ? &place : NULL);
    if (site == 0) {
        alloc_tag_lose(tag);
        if (engine_is_exhausted())
            mem_profiling_end();
        return 0;
    }
    return __atomic_compare_exchange_n(&tag->site, &none, site, false,
                                       __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)
               ? site
               : none;
}

tally_reference charge_tag(struct alloc_tag *tag, size_t size)
{
    uint32_t site = mem_profiling_is_on() ? alloc_tag_site(tag) : 0;

    if (site == 0)
        return 0;
    mem_profiling_expect_frees();
    return tally_hook_alloc(site, size);
}

static struct alloc_tag_counters read_own(const struct alloc_tag *tag)
{
    const struct own_memory *own = (const void *)tag;

    size_t bytes = __atomic_load_n(&own->live_bytes, __ATOMIC_RELAXED);

    return (struct alloc_tag_counters){
        .bytes = bytes,
        .peak_seen = bytes,
        .calls = __atomic_load_n(&own->live_calls, __ATOMIC_RELAXED),
        .total_bytes = __atomic_load_n(&own->total_bytes, __ATOMIC_RELAXED),
        .total_calls = __atomic_load_n(&own->total_calls, __ATOMIC_RELAXED),
    };
}

struct alloc_tag_counters alloc_tag_read(const struct alloc_tag *tag)
{
    uint32_t site = __atomic_load_n(&tag->site, __ATOMIC_ACQUIRE);
    struct tally_site_account account;

    if ((tag->flags & ALLOC_TAG_OWN) != 0)
        return read_own(tag);
    if (site == 0)
        return (struct alloc_tag_counters){ 0 };
    account = tally_site_read(site);
    return (struct alloc_tag_counters){
        .bytes = account.live_bytes,
        .calls = account.live_blocks,
        .total_bytes = account.total_bytes,
        .total_calls = account.total_blocks,
        .peak_seen = account.peak_seen,
        .unseen_frees = account.unseen_frees,
    };
}

int alloc_tag_for_each(int (*visit)(struct alloc_tag *tag, void *context),
                       void *context)
{
    struct tag_cursor cursor = { 0 };
    struct alloc_tag *tag;
    uint32_t key = tally_port_lock();
    int result = 0;

    while (result == 0 && (tag = tag_cursor_next(&cursor)) != NULL)
        result = visit(tag, context);
    tally_port_unlock(key);
    return result;
}

void tally_debug_untagged(struct tally_debug_place *place)
{
    struct console_line line;

    if (tally_current_tag != NULL || !mem_profiling_is_on() ||
        __atomic_exchange_n(&place->is_said, 1, __ATOMIC_RELAXED) != 0)
        return;
    line = console_line(place->file);
    console_line_add(&line, ":");
    console_line_add_number(&line, place->line);
    console_line_add(&line, ": ");
    console_line_add(&line, place->function);
    console_line_add(&line, "() allocates with no tag in force; this is not "
                            "accounted until alloc_hooks() is around it");
    console_line_say(&line);
}
