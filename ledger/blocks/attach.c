/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attach.c - opening the ledger of this process; shards for threads; attach.h
 *
 * A thread takes a shard without an owner, or one whose owner no longer exists:
 * the kernel says so, so a thread needs no destructor. When all are taken, the
 * thread adds to its CPU's shard (shard_add.h), or without rseq to shard 0.
 *
 * This file is long because the first allocations of a process and of its
 * threads are one sequence, which a fork may cut anywhere.
 */
#define _GNU_SOURCE
#include "ledger/blocks/attach.h"

#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "format/ledger/session_layout.h"
#include "ledger/blocks/embedding.h"
#include "ledger/blocks/peak.h"
#include "ledger/shards/shadow.h"
#include "ledger/shards/shard_add.h"
#include "ledger/space/ledger_writer.h"
#include "ledger/space/modules.h"
#include "ledger/space/session.h"
#include "ports/posix/memory/pages.h"
#include "ports/posix/raw_calls.h"
#include "tally/error.h"

/* facts that survive a fork: the child finds its parent's */
static bool was_opened;
static bool was_refused;
static bool is_opening;
static bool has_stacks;
static bool has_samples;
static bool is_attached;
static struct ledger_header *parent_header;

bool process_is_recorded(void)
{
    return was_opened && !was_refused;
}

bool process_is_new_but_refused(void)
{
    return was_refused && process.is_idle == 0; /* wiped by the fork */
}

bool process_has_stacks(void)
{
    return has_stacks;
}

/* Return the 22nd field of /proc/self/stat: the process's start, in ticks. */
static NOINLINE uint64_t read_start_ticks(void)
{
    char text[512];
    uint64_t ticks = 0;
    long length = raw_read_file("/proc/self/stat", text, sizeof text);
    long at;
    int field = 2;

    if (length <= 0)
        return 0;
    for (at = length - 1; at > 0 && text[at] != ')'; at--)
        ;
    for (; at < length && field < 22; at++)
        field += text[at] == ' ';
    for (; at > 0 && at < length && text[at] >= '0' && text[at] <= '9'; at++)
        ticks = ticks * 10 + (uint64_t)(text[at] - '0');
    return ticks;
}

static uint64_t now_ns(void)
{
    struct timespec now = { 0, 0 };

    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

enum { PATH_CAPACITY = 4096 };

static long read_program(char *into)
{
    return raw_call(SYS_readlinkat, -100, RAW_ARGUMENT("/proc/self/exe"),
                    RAW_ARGUMENT(into), PATH_CAPACITY, 0, 0);
}

static NOINLINE void write_names(struct ledger_header *header)
{
    static char text[PATH_CAPACITY]; /* one thread opens a ledger, once */
    long length = read_program(text);

    if (length > 0)
        header->program = ledger_write_text(text, (size_t)length);
    length = raw_read_file("/proc/self/cmdline", text, sizeof text);
    if (length > 0)
        header->command_line = ledger_write_text(text, (size_t)length);
}

static NOINLINE void note_allocator(const char *symbol)
{
    static char text[PATH_CAPACITY + SESSION_SYMBOL_CAPACITY + 4];
    long length = read_program(text);
    char *end = text + (length > 0 ? length : 0);
    size_t symbol_length = strlen(symbol);

    memcpy(end, " (", 2);
    memcpy(end + 2, symbol, symbol_length);
    memcpy(end + 2 + symbol_length, ")", 2);
    ledger_write_notice(LEDGER_NOTICE_own_allocator, text);
}

static void describe(struct ledger_header *header, uint32_t flags)
{
    header->pid = (uint32_t)raw_getpid();
    header->parent_pid = (uint32_t)raw_call(SYS_getppid, 0, 0, 0, 0, 0, 0);
    header->start_ns = now_ns();
    header->start_ticks = read_start_ticks();
    header->writer_version = TALLY_VERSION_NUMBER;
    header->flags = flags | LEDGER_FLAG_TEMPORARY | LEDGER_FLAG_GROWN;
    if (header->control == LEDGER_CONTROL_OFF ||
        (parent_header != NULL &&
         (parent_header->flags & LEDGER_FLAG_PAUSED) != 0))
        header->flags |= LEDGER_FLAG_PAUSED;
    header->shadow = shadow_address();
}

static uint32_t form_flags(void)
{
    uint32_t flags = shard_cpus.count != 0 ? LEDGER_FLAG_CPU_SHARDS : 0;

    if (process_is_compressed)
        flags |= LEDGER_FLAG_COMPRESSED;
    if (has_stacks)
        flags |= LEDGER_FLAG_STACKS;
    if (has_samples)
        flags |= LEDGER_FLAG_SAMPLED;
    if (is_attached)
        flags |= LEDGER_FLAG_ATTACHED;
    if (shadow.granule_log2 == SHADOW_SMALL_GRANULE_LOG2)
        flags |= LEDGER_FLAG_GRANULE_8;
    return flags;
}

static void choose_mode(void)
{
    if (embedding.choose_mode != NULL)
        embedding.choose_mode();
}

static void open_rest(struct ledger_header *header,
                      const struct session_claim *claim)
{
    if (embedding.open != NULL)
        embedding.open(header, claim);
}

/* Store the magic, which makes it a ledger, and then the pointer, which makes
   it ours. */
static void publish(struct ledger_header *header)
{
    memcpy(header->magic, LEDGER_MAGIC, LEDGER_MAGIC_SIZE);
    parent_header = header;
    process_control = &header->control;
    was_opened = true;
    process.is_idle = header->control == LEDGER_CONTROL_NEVER;
    process.is_sampled = has_samples;
    INVARIANT(A1, process.header == NULL);
    __atomic_store_n(&process.base, (char *)header, __ATOMIC_RELEASE);
    __atomic_store_n(&process.header, header, __ATOMIC_RELEASE);
    choose_mode();
}

static void begin(struct ledger_header *header,
                  const struct session_claim *claim)
{
    header->sample_interval = has_samples ? claim->header.sample_interval : 0;
    publish(header);
    if (has_samples && process.is_idle == 0)
        embedding.begin_samples(claim);
}

/* Return false before Linux 4.14: a forked child would look like its parent. */
static bool cut_tie_on_fork(void)
{
    if (raw_madvise(&process, sizeof process, MADV_WIPEONFORK) != 0)
        return false;
    pages_advise(&process, sizeof process);
    return true;
}

/* the loader's answers */
static struct {
    uint32_t is_known;
    uint32_t is_libc;
    uint32_t cpus;
} loader_facts;

void process_prepare(void)
{
    if (__atomic_load_n(&loader_facts.is_known, __ATOMIC_ACQUIRE) != 0 ||
        !embedding.has_glibc())
        return;
    modules_open();
    __atomic_store_n(&loader_facts.is_libc, embedding.is_libc(),
                     __ATOMIC_RELAXED);
    __atomic_store_n(&loader_facts.cpus, shard_cpus_open(), __ATOMIC_RELAXED);
    __atomic_store_n(&loader_facts.is_known, 1, __ATOMIC_RELEASE);
}

static bool open_first(void)
{
    struct session_claim claim = { .is_attached = false };
    struct ledger_header *header;
    bool is_libc;

    if (!embedding.has_glibc() || !embedding.claim(&claim))
        return false;
    process_prepare();
    is_libc = loader_facts.is_libc != 0;
    is_attached = claim.is_attached;
    process_is_compressed = claim.header.compressed != 0 && is_libc;
    shadow_open(process_is_compressed, !is_libc);
    header = ledger_space_open(claim.fd, claim.offset,
                               SHARD_FIRST_CPU + loader_facts.cpus,
                               claim.header.stacks != SESSION_STACKS_CALLER);
    if (header != NULL) {
        header->pid = (uint32_t)raw_getpid();
        open_rest(header, &claim);
    } else {
        session_give_up(&claim);
    }
    raw_close(claim.fd);
    if (header != NULL && process_is_compressed)
        site_places = tally_port_pages_alloc((REFERENCE_COMPRESSED_LIMIT + 1) *
                                             sizeof *site_places);
    if (header == NULL ||
        site_table_open(&heap_sites, SITE_TABLE_LARGE) != TALLY_OK ||
        site_table_open(&map_sites, SITE_TABLE_SMALL) != TALLY_OK ||
        site_table_open(&space_sites, SITE_TABLE_SMALL) != TALLY_OK ||
        site_table_open(&hook_sites, SITE_TABLE_SMALL) != TALLY_OK ||
        (process_is_compressed && site_places == NULL))
        return false;
    has_stacks = claim.header.stacks != SESSION_STACKS_CALLER &&
                 !process_is_compressed && embedding.open_stacks != NULL &&
                 embedding.open_stacks();
    has_samples = has_stacks && claim.header.stacks == SESSION_STACKS_SAMPLED;
    header->control = claim.header.control;
    describe(header, form_flags());
    write_names(header);
    begin(header, &claim);
    if (claim.header.compressed != 0 && !is_libc)
        ledger_write_notice(LEDGER_NOTICE_compressed_refused, "");
    if (claim.header.own_allocator[0] != '\0')
        note_allocator(claim.header.own_allocator);
    return true;
}

static void inherit(struct reference reference, void *context)
{
    struct ledger_site *site = ledger_site_of(reference.id);
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

/* Note the fork in the session or, out of its reach, in the parent's ledger. */
static void count_unrecorded_fork(void)
{
    if (!sandbox_is_closed() && session_is_reachable() &&
        (is_attached || !session_is_own()))
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
    INVARIANT(A3, process.header == NULL && process.base == NULL);
    control = parent_header->control;
    if (sandbox_is_closed() || !session_claim_forked(&claim)) {
        count_unrecorded_fork();
        return false;
    }
    header = ledger_space_fork(claim.fd, claim.offset, ledger_writer_inherit);
    if (header != NULL)
        open_rest(header, &claim);
    else
        session_give_up(&claim);
    raw_close(claim.fd);
    if (header == NULL)
        return false;
    header->control = control;
    site_table_adopt(&heap_sites);
    site_table_adopt(&map_sites);
    site_table_adopt(&space_sites);
    site_table_adopt(&hook_sites);
    forget_inherited();
    shadow_walk(inherit, &header->live_bytes);
    if (embedding.inherit != NULL)
        embedding.inherit(header);
    header->map_peak_number = header->map_bytes != 0;
    header->map_peak = header->map_now;
    header->peak_bytes = header->live_bytes;
    header->peak_with_maps = header->live_bytes + header->map_bytes;
    describe(header, form_flags() | LEDGER_FLAG_FORKED);
    begin(header, &claim);
    return true;
}

static void become_idle(void)
{
    process.is_idle = 1;
    choose_mode();
}

static bool open_ledger(void)
{
    uint32_t listeners = tally_listeners;
    bool is_open = false;

    INVARIANT(A2, process.claim == PROCESS_OPENING);
    if (is_opening) { /* forked while its parent was here: half of it is done */
        count_unrecorded_fork();
        was_refused = true;
        return false;
    }
    is_opening = true;
    /* Maps made meanwhile must not come back here. */
    tally_listeners = 0;
    if (was_opened)
        is_open = open_forked();
    else if (!was_refused)
        is_open = open_first();
    was_refused |= !is_open;
    if (was_refused)
        become_idle();
    is_opening = false;
    tally_listeners = listeners;
    return is_open;
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
    choose_mode();
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
            become_idle();
            if (session_follows_forks() && !sandbox_is_closed())
                session_expect_image(raw_getpid(), 1);
        }
        return false;
    }
    may_block = !sandbox_is_closed();
    if (may_block)
        raw_block_signals(&signals);
    /* Before the claim, so that no child inherits a claim that is never
       settled. Each thread that comes here repeats it, which is harmless. */
    if (!was_opened && (sandbox_is_closed() || !cut_tie_on_fork()))
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

void process_unlock(void)
{
    pages_unlock(&process, sizeof process);
    pages_unlock(&peak_deltas, sizeof peak_deltas);
    shadow_unlock();
    ledger_space_unlock();
}

static bool is_alive(uint32_t thread)
{
    /* Not tgkill: a CLONE_VM task may have another process number. */
    return raw_call(SYS_tkill, (long)thread, 0, 0, 0, 0, 0) != -3;
}

uint32_t owner_slot_take(uint32_t *owners, uint32_t count)
{
    uint32_t self = (uint32_t)raw_gettid();

    for (int round = 0; round < 2; round++) {
        for (uint32_t slot = 1; slot < count; slot++) {
            uint32_t held = __atomic_load_n(&owners[slot], __ATOMIC_ACQUIRE);

            /* Our own number is that of a thread that ended before us. */
            if ((round == 0 ? held == 0 || held == self : !is_alive(held)) &&
                __atomic_compare_exchange_n(&owners[slot], &held, self, false,
                                            __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
                return slot;
        }
    }
    return 0;
}

/* Fill the shard's entry, before any thread uses it. */
static struct ledger_total *open_fast_path(uint32_t shard)
{
    static uint64_t nowhere[LEDGER_SIZE_CLASSES];
    const struct ledger_counter *start = (const void *)process.base;
    struct fast_path *path = &process.fast_paths[shard];
    uint64_t *sizes = ledger_sizes_at(shard);

    path->total = &process.header->totals[shard];
    __atomic_store_n(&path->total->is_used, 1, __ATOMIC_RELAXED);
    path->temporary = (char *)ledger_space_temporary(start, shard);
    path->sizes = sizes != NULL ? sizes : nowhere;
    return path->total;
}

/* Set the entry before the thread points at it. */
static void take_fast_path(uint32_t shard)
{
    struct fast_path *path = &process.fast_paths[shard];
    char *base = process.base + ((size_t)shard << ACCOUNT_SHARD_SHIFT);

    /* The cached stacks carry the previous owner's label. */
    __atomic_store_n(&path->stacks, NULL, __ATOMIC_RELAXED);
    __atomic_store_n(&path->base, base, __ATOMIC_RELEASE);
    __atomic_store_n(&path->caller_base, process_has_stacks() ? NULL : base,
                     __ATOMIC_RELEASE);
    thread_follow_near(path);
    if (!process_is_compressed)
        recorder_thread.fast_path = path;
}

void thread_attach(void)
{
    struct ledger_total *total = NULL;

    /* Leave the fast path until the thread is attached again. */
    recorder_thread.fast_path = &process.fast_paths[0];
    recorder_thread.own_shard = 0;
    if (!process_attach()) {
        tally_listeners = 0;
        return;
    }
    /* Samples go to shard 0; nothing else of the heap is counted then. */
    if (!sandbox_is_closed() && process.is_sampled == 0)
        recorder_thread.own_shard =
            (uint16_t)owner_slot_take(process.shard_owners, SHARD_THREADS + 1);
    if (recorder_thread.own_shard != 0)
        total = open_fast_path(recorder_thread.own_shard);
    peak_deltas_share(total);
    tally_listeners = TALLY_LISTENER_ACCOUNT;
    if (recorder_thread.own_shard != 0 && shadow_is_of_libc())
        take_fast_path(recorder_thread.own_shard);
}

void thread_share(void)
{
    if (tally_listeners == TALLY_LISTENER_ACCOUNT)
        tally_listeners = TALLY_LISTENER_ACCOUNT | TALLY_LISTENER_SHARED;
}

void thread_unshare(void)
{
    tally_listeners &= ~(uint32_t)TALLY_LISTENER_SHARED;
}
