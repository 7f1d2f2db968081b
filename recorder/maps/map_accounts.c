/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map_accounts.c - sites of memory outside the heap
 *
 * mmap, munmap, mremap, brk and sbrk are recorded exactly, by interval: a
 * partial munmap, an overlay by MAP_FIXED, an mremap that moves. These sites
 * are never part of the heap's, and have a peak of their own. Maps of the
 * allocator itself are left out. Files are memory if memfd_create() made them;
 * others are address space, with sites of their own kind, and in no peak.
 *
 * Like a block, a range is taken out before the kernel gets it back and added
 * after the kernel gave it, so no lock is held over a system call. The lock
 * around the intervals is held briefly, with signals blocked; its word lies in
 * the pages that a fork wipes. A call that cannot get the lock - a handler on
 * top of its owner in a program that has locked itself in - is counted, and
 * left out.
 *
 * This file is long because clients of samples look at maps here as well.
 */
#define _GNU_SOURCE
#include "recorder/maps/map_accounts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ledger/blocks/attach.h"
#include "ledger/blocks/ledger_blocks.h"
#include "ledger/blocks/map_peak.h"
#include "ledger/space/ledger_writer.h"
#include "ledger/space/modules.h"
#include "ports/posix/raw_calls.h"
#include "recorder/calls/real_allocator.h"
#include "recorder/maps/interval_map.h"
#include "recorder/real_functions.h"
#include "recorder/stacks/stacks.h"
#include "sampling/countdown/countdown.h"
#include "sampling/memprof/memprof_state.h"

enum { LOCK_TRIES = 100000 };

#define ADDRESS_LIMIT ((uintptr_t)1 << 47)

/* mark of a piece that is shared with children */
#define SHARED (UINT32_C(1) << 31)

static bool is_memory(uint32_t site)
{
    const struct ledger_site *record = ledger_site_of(site & LEDGER_MAP_SITE);

    return record == NULL || record->kind == LEDGER_SITE_MAP;
}

/* Count gains and losses apart: a split gives a site pieces while it loses
   bytes. */
static void account(uint32_t site, int64_t pieces, int64_t bytes)
{
    struct ledger_counter *counter = ledger_counter_of(site & LEDGER_MAP_SITE);
    struct ledger_counter added = { 0 };

    if (counter == NULL || (site & LEDGER_MAP_PARENTS) != 0)
        return;
    if (pieces > 0)
        added.alloc_blocks = (uint64_t)pieces;
    else
        added.free_blocks = (uint64_t)-pieces;
    if (bytes > 0)
        added.alloc_bytes = (uint64_t)bytes;
    else
        added.free_bytes = (uint64_t)-bytes;
    /* A thread that only begins and ends needs no shard. */
    if (!is_memory(site)) {
        account_add(counter, &added);
        return;
    }
    account_add(account_in_shard(counter, recorder_thread.own_shard), &added);
    map_peak_add((struct peak_change){ site & LEDGER_MAP_SITE, pieces, bytes },
                 (site & LEDGER_MAP_RESERVED) != 0);
}

static struct interval_map maps = { .on_change = account };

static bool is_listening(void)
{
    if ((tally_listeners & TALLY_LISTENER_UNSETTLED) != 0 ||
        (tally_listeners != 0 && process.header == NULL))
        thread_attach();
    return tally_listeners != 0;
}

static bool lock(void)
{
    for (unsigned tries = 0; tries < LOCK_TRIES; tries++) {
        const struct recorder_thread *owner = NULL;

        if (__atomic_compare_exchange_n(&process.in_maps, &owner,
                                        &recorder_thread, false,
                                        __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return true;
        if (owner == &recorder_thread)
            return false;
        if (!sandbox_is_closed())
            raw_yield();
    }
    return false;
}

struct entry {
    uint64_t signals;
    bool are_blocked;
};

static void unblock(const struct entry *entry)
{
    if (entry->are_blocked)
        raw_restore_signals(&entry->signals);
}

/* Block signals and lock; return false, counted as lost, if that fails. */
static bool enter(struct entry *entry)
{
    entry->are_blocked = !sandbox_is_closed();
    if (entry->are_blocked)
        raw_block_signals(&entry->signals);
    if (lock())
        return true;
    unblock(entry);
    process_count(LEDGER_COUNT_lost_maps, 1);
    return false;
}

static void leave(const struct entry *entry)
{
    __atomic_store_n(&process.in_maps, NULL, __ATOMIC_RELEASE);
    unblock(entry);
}

/*
 * The frame of this thread's outermost call of a real mmap, munmap or mremap,
 * as its lowest 32 bits; 0: none. The real one may belong to a library that
 * calls syscall() or ours in turn: a call counts once. A frame left by longjmp
 * is known by its place.
 */
static _Thread_local uint32_t outermost;

static inline __attribute__((always_inline)) uint32_t own_frame(void)
{
    return (uint32_t)(uintptr_t)__builtin_frame_address(0);
}

static inline __attribute__((always_inline)) bool is_inside(void)
{
    return outermost != 0 && (int32_t)(own_frame() - outermost) < 0;
}

/* Make `call`, of a real function, and return its result. */
#define BEHIND(call)                                   \
    __extension__({                                    \
        uint32_t before = is_inside() ? outermost : 0; \
                                                       \
        if (before == 0)                               \
            outermost = own_frame();                   \
        __typeof__(call) result_of_it = (call);        \
        outermost = before;                            \
        result_of_it;                                  \
    })

/* Return true for a map of the allocator: one other than libc's uses these
   names too. */
static bool is_allocators(uintptr_t caller)
{
    void *allocator;

    memcpy(&allocator, &real.malloc, sizeof allocator);
    return is_inside() || real_allocator_is_inside() ||
           (!shadow_is_plain() && !process_is_compressed &&
            modules_are_same((void *)caller, allocator));
}

static uintptr_t page_end(const void *at, size_t size)
{
    return map_accounts_pages((uintptr_t)at + size);
}

/* The latest map and its thread: if it is unmapped whole before the next map,
   it was temporary. Threads that map at once hide some from each other. */
static struct {
    const struct recorder_thread *thread;
    uintptr_t start, end;
} newest;

/* Count a temporary map: [start, end), which begins with a piece of `site`, is
   about to be unmapped. */
static void count_temporary(uintptr_t start, uintptr_t end, uint32_t site)
{
    struct ledger_counter *counter = ledger_counter_of(site & LEDGER_MAP_SITE);

    if (newest.thread == &recorder_thread && newest.start == start &&
        newest.end == end && counter != NULL &&
        (site & LEDGER_MAP_PARENTS) == 0)
        __atomic_fetch_add(ledger_space_temporary(counter, 0), 1,
                           __ATOMIC_RELAXED);
}

/* Assign [start, end) to `site`; 0: to no known site, and `unmapped` is the
   site at its start, or 0. */
static void assign_range(uintptr_t start, uintptr_t end, uint32_t site,
                         uint32_t unmapped)
{
    struct entry entry;

    if (!is_listening() || !enter(&entry))
        return;
    if (unmapped != 0)
        count_temporary(start, end, unmapped);
    if (site != 0 || (end > newest.start && start < newest.end)) {
        newest.thread = site == 0 ? NULL : &recorder_thread;
        newest.start = start;
        newest.end = end;
    }
    if (!interval_map_assign(&maps, start, end, site))
        process_count(LEDGER_COUNT_lost_maps, 1);
    leave(&entry);
}

/* Assign [at, at + size) to `site`; 0: to no known site. */
static void assign(const void *at, size_t size, uint32_t site)
{
    assign_range((uintptr_t)at, page_end(at, size), site, 0);
}

/* Return the piece that holds `at`, clipped to the range, if munmap would
   accept the range. site 0: no known owner. */
static struct interval find_piece(const void *at, size_t size)
{
    struct interval piece = { (uintptr_t)at, page_end(at, size), 0 };
    struct entry entry;

    if (size == 0 || ((uintptr_t)at & (LEDGER_PAGE - 1)) != 0 ||
        piece.end - piece.start > ADDRESS_LIMIT - piece.start ||
        !is_listening() || !enter(&entry))
        return piece;
    piece = interval_map_clip(&maps, piece.start, piece.end);
    leave(&entry);
    return piece;
}

static void sampled_unmap(void *at, size_t size)
{
    int kept = errno;

    if (!memprof_has_maps())
        return;
    /* The kernel refuses other ranges. */
    if ((uintptr_t)at % LEDGER_PAGE == 0 && size <= ADDRESS_LIMIT &&
        (uintptr_t)at <= ADDRESS_LIMIT - size)
        memprof_unmapped(at, size, LEDGER_PAGE);
    errno = kept;
}

/* Tell clients about a mapped file, for tally/memprof.h. A map lives until its
   first page is unmapped, or mapped again. mremap keeps it. */
static void *sampled_map(void *mapped, size_t size, int flags)
{
    int kept = errno;

    if (mapped == MAP_FAILED || !countdown_is_on() || is_inside())
        return mapped;
    if ((flags & MAP_FIXED) != 0)
        sampled_unmap(mapped, size);
    if ((flags & MAP_ANONYMOUS) == 0 && !memprof_mapped(mapped, size, NULL)) {
        (void)BEHIND(real.munmap(mapped, size));
        errno = ENOMEM;
        return MAP_FAILED;
    }
    errno = kept;
    return mapped;
}

static struct tracked *sampled_lift(void *map)
{
    int kept = errno;
    struct tracked *lifted = memprof_has_maps() ? memprof_lift_map(map) : NULL;

    errno = kept;
    return lifted;
}

static void sampled_put_down(struct tracked *lifted, void *map)
{
    int kept = errno;

    if (lifted != NULL)
        memprof_put_back_map(lifted, map);
    errno = kept;
}

/* Return true for a file that is memory: by memfd_create(), or without a
   name. */
static bool is_memory_file(int fd)
{
    struct stat status;

    return fd >= 0 && !sandbox_is_closed() &&
           raw_call(SYS_fcntl, fd, F_GET_SEALS, 0, 0, 0, 0) >= 0 &&
           raw_call(SYS_fstat, fd, RAW_ARGUMENT(&status), 0, 0, 0, 0) == 0 &&
           status.st_nlink == 0;
}

uint32_t map_accounts_site(enum ledger_site_kind kind, uintptr_t caller)
{
    return is_listening() && *process_control == LEDGER_CONTROL_ON &&
                   !is_allocators(caller)
               ? stacks_map_word(caller, kind)
               : 0;
}

void map_accounts_stack(uintptr_t start, uintptr_t end, uint32_t site)
{
    struct entry entry;

    if (process.header == NULL || !enter(&entry))
        return;
    if (!interval_map_assign(&maps, start, end,
                             site == 0 ? 0 : site | LEDGER_MAP_STACK))
        process_count(LEDGER_COUNT_lost_maps, 1);
    leave(&entry);
}

/* Return the site of a map, with its marks, or 0: not recorded. */
static uint32_t site_of(int protection, int flags, int fd, uintptr_t caller)
{
    bool is_shared = (flags & MAP_TYPE) != MAP_PRIVATE;
    bool is_memory = (flags & MAP_ANONYMOUS) != 0 || is_memory_file(fd);
    uint32_t site = map_accounts_site(
        is_memory ? LEDGER_SITE_MAP : LEDGER_SITE_FILE, caller);

    if (site == 0)
        return 0;
    return site | (is_shared ? SHARED : 0) |
           (protection == PROT_NONE ? LEDGER_MAP_RESERVED : 0);
}

/* A library with one of these names may call the other. */
#define MAP(name)                                                         \
    EXPORT void *name(void *at, size_t size, int protection, int flags,   \
                      int fd, off_t offset)                               \
    {                                                                     \
        void *mapped =                                                    \
            BEHIND(real.name(at, size, protection, flags, fd, offset));   \
                                                                          \
        if (mapped != MAP_FAILED)                                         \
            assign(mapped, size, site_of(protection, flags, fd, CALLER)); \
        return sampled_map(mapped, size, flags);                          \
    }
MAP(mmap)
MAP(mmap64)

void map_accounts_raw(uintptr_t caller)
{
    if (!is_allocators(caller))
        process_count(LEDGER_COUNT_raw_map_calls, 1);
}

/* Aliases for use where the plain names lead to patched code. */
extern HIDDEN __typeof__(mmap) own_mmap __THROW __attribute__((alias("mmap")));
extern HIDDEN __typeof__(munmap) own_munmap __THROW
    __attribute__((alias("munmap")));
extern HIDDEN __typeof__(mremap) own_mremap __THROW
    __attribute__((alias("mremap")));

static void put_back(const struct interval *piece)
{
    if (piece->site != 0)
        assign((const void *)piece->start, piece->end - piece->start,
               piece->site);
}

EXPORT int munmap(void *at, size_t size)
{
    struct interval piece = find_piece(at, size);
    int result;

    sampled_unmap(at, size);
    /* Only a range with an owner can be taken by another thread's mmap. */
    if (piece.site != 0)
        assign_range((uintptr_t)at, page_end(at, size), 0, piece.site);
    result = BEHIND(real.munmap(at, size));
    if (result != 0)
        put_back(&piece);
    else if (piece.site == 0)
        assign(at, size, 0);
    return result;
}

EXPORT void *mremap(void *old, size_t old_size, size_t new_size, int flags, ...)
{
    struct interval piece = find_piece(old, old_size != 0 ? old_size : 1);
    bool may_leave = (flags & MREMAP_MAYMOVE) != 0 && old_size != 0 &&
                     (flags & MREMAP_DONTUNMAP) == 0;
    struct tracked *lifted = NULL;
    void *target = NULL;
    void *moved;
    va_list arguments;

    if ((flags & MREMAP_FIXED) != 0) {
        va_start(arguments, flags);
        target = va_arg(arguments, void *);
        va_end(arguments);
    }
    if (may_leave)
        lifted = sampled_lift(old);
    if (may_leave && piece.site != 0)
        assign(old, old_size, 0);
    moved = BEHIND(real.mremap(old, old_size, new_size, flags, target));
    if (moved == MAP_FAILED) {
        sampled_put_down(lifted, old);
        if (may_leave)
            put_back(&piece);
        return moved;
    }
    if ((flags & MREMAP_FIXED) != 0)
        sampled_unmap(moved, new_size);
    sampled_put_down(lifted, moved);
    if (moved == old && !may_leave && old_size > new_size)
        assign((char *)old + new_size, old_size - new_size, 0);
    assign(moved, new_size, piece.site);
    return moved;
}

/* Assign memory at the heap's end. libc's malloc moves it without calling
   us. */
static void break_moved(uintptr_t before, uintptr_t now, uintptr_t caller)
{
    if (now < before)
        assign_range(now, before, 0, 0);
    else if (now > before)
        assign_range(before, now,
                     site_of(PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, caller),
                     0);
}

EXPORT void *sbrk(intptr_t more)
{
    void *before = REAL(sbrk)(more);

    if (before != (void *)-1)
        break_moved((uintptr_t)before, (uintptr_t)before + (uintptr_t)more,
                    CALLER);
    return before;
}

EXPORT int brk(void *end)
{
    void *before = REAL(sbrk)(0);
    int result = REAL(brk)(end);

    /* libc also returns 0 if the kernel left the end unchanged. */
    if (result == 0)
        break_moved((uintptr_t)before, (uintptr_t)REAL(sbrk)(0), CALLER);
    return result;
}

_Static_assert(offsetof(struct interval_map, items) ==
                       offsetof(struct ledger_map_table, address) &&
                   offsetof(struct interval_map, count) ==
                       offsetof(struct ledger_map_table, count) &&
                   sizeof(struct interval) == sizeof(struct ledger_map) &&
                   offsetof(struct interval, end) ==
                       offsetof(struct ledger_map, end),
               "others read the intervals as struct ledger_map_table");

uint64_t map_accounts_table(void)
{
    return (uint64_t)(uintptr_t)&maps;
}

void map_accounts_inherit(struct ledger_header *header)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    size_t count = 0;

    interval_map_recover(&maps);
    for (size_t i = 0; i < maps.count; i++) {
        struct interval *interval = &maps.items[count];
        uint32_t *piece = &interval->site;
        struct ledger_site *site;

        /* Drop stacks of the parent's other threads. */
        if ((maps.items[i].site & LEDGER_MAP_STACK) != 0 &&
            (here < maps.items[i].start || here >= maps.items[i].end))
            continue;
        *interval = maps.items[i];
        count++;
        site = ledger_site_of(*piece & LEDGER_MAP_SITE);

        if ((*piece & SHARED) != 0)
            *piece |= LEDGER_MAP_PARENTS;
        if (site == NULL || (*piece & LEDGER_MAP_PARENTS) != 0)
            continue;
        site->inherited_blocks++;
        site->inherited_bytes += interval->end - interval->start;
        if (site->kind != LEDGER_SITE_MAP)
            continue;
        header->map_bytes += (int64_t)(interval->end - interval->start);
        *((*piece & LEDGER_MAP_RESERVED) != 0 ? &header->map_now.reserved
                                              : &header->map_now.accessible) +=
            (int64_t)(interval->end - interval->start);
    }
    maps.count = count;
    interval_map_recover(&maps);
}
