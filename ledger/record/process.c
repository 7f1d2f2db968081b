/* SPDX-License-Identifier: Apache-2.0 */
/* process.c - opening the ledger of this process; see process.h */
#define _GNU_SOURCE
#include "ledger/record/process.h"

#include <string.h>
#include <sys/mman.h>

#include "ledger/record/embedding.h"
#include "ledger/record/peak_notes.h"
#include "ledger/record/record_compact.h"
#include "ledger/shards/shadow.h"
#include "ledger/shards/shard_add.h"
#include "ledger/space/description.h"
#include "ledger/space/ledger_space.h"
#include "ledger/space/ledger_writer.h"
#include "ledger/space/modules.h"
#include "ledger/space/session.h"
#include "ports/posix/memory/pages.h"
#include "ports/posix/raw_calls.h"
#include "ports/posix/sandbox.h"
#include "tally/error.h"
#include "tally/port.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

/* Alone on its pages: madvise() on them must not touch other variables. */
_Alignas(LEDGER_PAGE) struct process process;

static const uint32_t off = LEDGER_CONTROL_OFF;

const uint32_t *process_control = &off;
struct site_table heap_sites;
struct site_table map_sites;
struct site_table hook_sites;

/* What survives a fork: what this process was before. */
static bool was_opened;
static bool was_refused;
static bool is_opening;
static bool has_stacks;
static bool has_samples;
static struct ledger_header *parent_header;

bool process_is_recorded(void)
{
    return was_opened && !was_refused;
}

bool process_is_new_but_refused(void)
{
    return was_refused && process.is_idle == 0; /* which the fork has wiped */
}

bool process_is_compressed(void)
{
    return shadow.is_compressed != 0;
}

bool process_has_stacks(void)
{
    return has_stacks;
}

void process_count(enum ledger_count which, uint64_t added)
{
    struct ledger_header *header = process.header;

    if (header != NULL)
        __atomic_fetch_add(&header->counts[which], added, __ATOMIC_RELAXED);
}

static uint32_t form_flags(void)
{
    uint32_t flags = shard_cpus.count != 0 ? LEDGER_FLAG_CPU_SHARDS : 0;

    if (shadow.is_compressed)
        flags |= LEDGER_FLAG_COMPRESSED;
    if (has_stacks)
        flags |= LEDGER_FLAG_STACKS;
    if (has_samples)
        flags |= LEDGER_FLAG_SAMPLED;
    if (shadow.granule_log2 == SHADOW_SMALL_GRANULE_LOG2)
        flags |= LEDGER_FLAG_GRANULE_8;
    return flags;
}

/* The magic makes it a ledger; the pointer makes it ours. */
static void publish(struct ledger_header *header)
{
    memcpy(header->magic, LEDGER_MAGIC, LEDGER_MAGIC_SIZE);
    parent_header = header;
    process_control = &header->control;
    was_opened = true;
    process.is_idle = header->control == LEDGER_CONTROL_NEVER;
    process.is_sampled = has_samples;
    __atomic_store_n(&process.base, (char *)header, __ATOMIC_RELEASE);
    __atomic_store_n(&process.header, header, __ATOMIC_RELEASE);
    embedding_choose_mode();
}

static void begin(struct ledger_header *header,
                  const struct session_claim *claim)
{
    header->sample_interval = has_samples ? claim->sample_interval : 0;
    publish(header);
    if (has_samples && process.is_idle == 0)
        embedding_begin_samples(claim);
}

/* Fails before Linux 4.14: a forked child would look like its parent. */
static bool cut_tie_on_fork(void)
{
    if (raw_madvise(&process, sizeof process, MADV_WIPEONFORK) != 0)
        return false;
    pages_advise(&process, sizeof process);
    return true;
}

/* What the loader has said. */
static struct {
    uint32_t is_known;
    uint32_t is_libc;
    uint32_t cpus;
} surroundings;

void process_prepare(void)
{
    if (__atomic_load_n(&surroundings.is_known, __ATOMIC_ACQUIRE) != 0 ||
        !embedding_has_glibc())
        return;
    modules_open();
    __atomic_store_n(&surroundings.is_libc, embedding_is_libc(),
                     __ATOMIC_RELAXED);
    __atomic_store_n(&surroundings.cpus, shard_cpus_open(), __ATOMIC_RELAXED);
    __atomic_store_n(&surroundings.is_known, 1, __ATOMIC_RELEASE);
}

static bool open_first(void)
{
    struct session_claim claim;
    struct ledger_header *header;
    bool is_libc;

    if (!embedding_has_glibc() || !embedding_claim(&claim))
        return false;
    process_prepare();
    is_libc = surroundings.is_libc != 0;
    shadow_open(claim.is_compressed && is_libc, !is_libc);
    header = ledger_space_open(claim.fd, claim.offset,
                               SHARD_FIRST_CPU + surroundings.cpus,
                               claim.stacks != SESSION_STACKS_CALLER);
    if (header != NULL) {
        header->pid = (uint32_t)raw_getpid();
        embedding_open(&claim);
    } else {
        session_give_up(&claim);
    }
    raw_close(claim.fd);
    if (header == NULL ||
        site_table_open(&heap_sites, SITE_TABLE_LARGE) != TALLY_OK ||
        site_table_open(&map_sites, SITE_TABLE_SMALL) != TALLY_OK ||
        site_table_open(&hook_sites, SITE_TABLE_SMALL) != TALLY_OK ||
        (shadow.is_compressed && !record_places_open()))
        return false;
    has_stacks = claim.stacks != SESSION_STACKS_CALLER &&
                 !shadow.is_compressed && embedding_open_stacks();
    has_samples = has_stacks && claim.stacks == SESSION_STACKS_SAMPLED;
    header->control = claim.control;
    description_write(header, form_flags());
    description_write_names(header);
    begin(header, &claim);
    if (claim.is_compressed && !is_libc)
        ledger_write_notice(LEDGER_NOTICE_compressed_refused, "");
    if (claim.own_allocator[0] != '\0')
        description_note_allocator(claim.own_allocator);
    return true;
}

static void inherit(struct reference reference, void *context)
{
    struct ledger_site *site = record_site_of(reference.id);
    int64_t *live_bytes = context;

    if (site == NULL)
        return;
    site->inherited_blocks++;
    site->inherited_bytes += reference.size;
    *live_bytes += (int64_t)reference.size;
}

static void forget_inherited(void)
{
    for (uint32_t id = 1; ledger_site_at(id) != NULL; id++) {
        ledger_site_at(id)->inherited_blocks = 0;
        ledger_site_at(id)->inherited_bytes = 0;
        ledger_site_at(id)->peak_seen = 0;
    }
}

/* Note it in the session; out of its reach, in the parent's ledger. */
static void count_unrecorded_fork(void)
{
    if (!sandbox_is_closed() && session_is_reachable())
        session_expect_image(raw_getpid(), 1);
    else if (parent_header != NULL)
        __atomic_fetch_add(
            &parent_header->counts[LEDGER_COUNT_unrecorded_forks], 1,
            __ATOMIC_RELAXED);
}

static bool open_forked(void)
{
    struct session_claim claim;
    struct ledger_header *header;
    uint32_t control;

    if (!session_follows_forks() || was_refused)
        return false;
    control = parent_header->control;
    if (sandbox_is_closed() || !session_claim_forked(&claim)) {
        count_unrecorded_fork();
        return false;
    }
    header = ledger_space_fork(claim.fd, claim.offset);
    if (header != NULL)
        embedding_open(&claim);
    else
        session_give_up(&claim);
    raw_close(claim.fd);
    if (header == NULL)
        return false;
    header->control = control;
    ledger_writer_adopt(header);
    site_table_adopt(&heap_sites);
    site_table_adopt(&map_sites);
    site_table_adopt(&hook_sites);
    embedding_adopt_stacks();
    forget_inherited();
    shadow_walk(inherit, &header->live_bytes);
    header->peak_bytes = header->live_bytes;
    header->counts[LEDGER_COUNT_lost_maps] = embedding_inherit();
    description_write(header, form_flags() | LEDGER_FLAG_FORKED);
    begin(header, &claim);
    return true;
}

static void be_idle(void)
{
    process.is_idle = 1;
    embedding_choose_mode();
}

static bool open_ledger(void)
{
    uint32_t listeners = tally_listeners;
    bool is_open = false;

    if (is_opening) { /* forked in the midst of this: half of it is done */
        count_unrecorded_fork();
        was_refused = true;
        return false;
    }
    is_opening = true;
    /* What is mapped meanwhile must not come back here. */
    tally_listeners = 0;
    if (was_opened)
        is_open = open_forked();
    else if (!was_refused)
        is_open = open_first();
    was_refused |= !is_open;
    if (was_refused)
        be_idle();
    is_opening = false;
    tally_listeners = listeners;
    return is_open;
}

/*
 * Before the claim, so that no child inherits a claim that is never settled.
 * Every thread that comes here does it, which does no harm.
 */
static bool may_open(void)
{
    return was_opened || (!sandbox_is_closed() && cut_tie_on_fork());
}

void process_retry(void)
{
    uint32_t refused = PROCESS_REFUSED;

    if (was_opened || !was_refused)
        return;
    was_refused = false;
    process.is_idle = 0;
    __atomic_compare_exchange_n(&process.claim, &refused, PROCESS_UNCLAIMED,
                                false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    embedding_choose_mode();
}

bool process_attach(void)
{
    uint32_t unclaimed = PROCESS_UNCLAIMED;
    uint64_t signals = 0;
    bool may_block;

    if (__atomic_load_n(&process.header, __ATOMIC_ACQUIRE) != NULL)
        return true;
    if (was_refused) {
        if (process_is_new_but_refused()) {
            be_idle();
            if (session_follows_forks() && !sandbox_is_closed())
                session_expect_image(raw_getpid(), 1);
        }
        return false;
    }
    may_block = !sandbox_is_closed();
    if (may_block)
        raw_block_signals(&signals);
    if (!may_open())
        was_refused = true;
    if (__atomic_compare_exchange_n(&process.claim, &unclaimed, PROCESS_OPENING,
                                    false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        __atomic_store_n(&process.claim,
                         open_ledger() ? PROCESS_OPEN : PROCESS_REFUSED,
                         __ATOMIC_RELEASE);
    while (__atomic_load_n(&process.claim, __ATOMIC_ACQUIRE) == PROCESS_OPENING)
        raw_yield();
    if (may_block)
        raw_restore_signals(&signals);
    return __atomic_load_n(&process.header, __ATOMIC_ACQUIRE) != NULL;
}

void process_drop_stacks(void)
{
    for (uint32_t shard = 1; shard < SHARD_FIRST_CPU; shard++)
        __atomic_store_n(&process.short_ways[shard].stacks, NULL,
                         __ATOMIC_SEQ_CST);
}

void process_unlock(void)
{
    pages_unlock(&process, sizeof process);
    pages_unlock(&peak_notes, sizeof peak_notes);
    shadow_unlock();
    ledger_space_unlock();
}
