/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map_accounts.c - mmap and its kin; see map_accounts.h
 *
 * The lock is held over the system call, so that another thread cannot get a
 * range between its munmap and our note of it. The lock's word lies in the
 * pages that a fork wipes. A signal handler that maps while its own thread is
 * in here is not recorded, and counted.
 */
#define _GNU_SOURCE
#include "recorder/map_accounts.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>

#include "recorder/interval_map.h"
#include "recorder/ledger_writer.h"
#include "recorder/modules.h"
#include "recorder/raw_calls.h"
#include "recorder/real_functions.h"
#include "recorder/record.h"
#include "recorder/sandbox.h"

EXPORT void *mmap(void *at, size_t size, int protection, int flags, int fd,
                  off_t offset);
EXPORT void *mmap64(void *at, size_t size, int protection, int flags, int fd,
                    off64_t offset);
EXPORT int munmap(void *at, size_t size);
EXPORT void *mremap(void *old, size_t old_size, size_t new_size, int flags,
                    ...);

static void account(uint32_t site, int64_t pieces, int64_t bytes);

static struct interval_map maps = { .on_change = account };

/* Splits give a site pieces while it loses bytes, so each goes its own way. */
static void account(uint32_t site, int64_t pieces, int64_t bytes)
{
    struct ledger_counter *counter = record_counter_of(site);
    struct ledger_counter added = { 0 };

    if (counter == NULL)
        return;
    if (pieces > 0)
        added.alloc_blocks = (uint64_t)pieces;
    else
        added.free_blocks = (uint64_t)-pieces;
    if (bytes > 0)
        added.alloc_bytes = (uint64_t)bytes;
    else
        added.free_bytes = (uint64_t)-bytes;
    account_add(counter, &added);
}

static bool enter(void)
{
    uint32_t unlocked = 0;

    if (tally_listeners == 0)
        return false;
    if ((tally_listeners & TALLY_LISTENER_UNSETTLED) != 0 ||
        process.header == NULL)
        thread_settle();
    if (tally_listeners == 0)
        return false;
    if (recorder_thread.in_maps != 0) {
        process_count(LEDGER_COUNT_lost_maps, 1);
        return false;
    }
    recorder_thread.in_maps = 1;
    while (!__atomic_compare_exchange_n(&process.map_lock, &unlocked, 1, false,
                                        __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
        unlocked = 0;
        if (!sandbox_is_closed())
            raw_yield();
    }
    return true;
}

static void leave(void)
{
    __atomic_store_n(&process.map_lock, 0, __ATOMIC_RELEASE);
    recorder_thread.in_maps = 0;
}

/* An allocator that is not libc's maps through these names too. */
static bool is_allocators(uintptr_t caller)
{
    void *allocator;

    memcpy(&allocator, &real.malloc, sizeof allocator);
    return !shadow_is_plain() && !process_is_compressed() &&
           modules_are_same((void *)caller, allocator);
}

static uintptr_t page_end(const void *at, size_t size)
{
    return ((uintptr_t)at + size + LEDGER_PAGE - 1) &
           ~(uintptr_t)(LEDGER_PAGE - 1);
}

/* [at, at + size) now belongs to `site`; 0: to nobody we know. */
static void assign(const void *at, size_t size, uint32_t site)
{
    uintptr_t end = page_end(at, size);
    bool is_done = site != 0
                       ? interval_map_insert(&maps, (uintptr_t)at, end, site)
                       : interval_map_remove(&maps, (uintptr_t)at, end);

    if (!is_done)
        process_count(LEDGER_COUNT_lost_maps, 1);
}

static void *map(void *at, size_t size, int protection, int flags, int fd,
                 off_t offset, uintptr_t caller)
{
    bool is_entered = enter();
    void *mapped = real.mmap(at, size, protection, flags, fd, offset);

    if (!is_entered)
        return mapped;
    if (mapped != MAP_FAILED) {
        bool is_account = (flags & MAP_ANONYMOUS) != 0 &&
                          *process_control == LEDGER_CONTROL_ON &&
                          !is_allocators(caller);

        assign(mapped, size,
               is_account ? record_site(&map_sites, LEDGER_SITE_MAP, caller)
                          : 0);
    }
    leave();
    return mapped;
}

void *mmap(void *at, size_t size, int protection, int flags, int fd,
           off_t offset)
{
    return map(at, size, protection, flags, fd, offset, CALLER);
}

void *mmap64(void *at, size_t size, int protection, int flags, int fd,
             off64_t offset)
{
    return map(at, size, protection, flags, fd, offset, CALLER);
}

int munmap(void *at, size_t size)
{
    bool is_entered = enter();
    int result = real.munmap(at, size);

    if (!is_entered)
        return result;
    if (result == 0)
        assign(at, size, 0);
    leave();
    return result;
}

void *mremap(void *old, size_t old_size, size_t new_size, int flags, ...)
{
    bool is_entered = enter();
    uint32_t owner = is_entered ? interval_map_owner(&maps, (uintptr_t)old) : 0;
    void *target = NULL;
    void *moved;
    va_list arguments;

    if ((flags & MREMAP_FIXED) != 0) {
        va_start(arguments, flags);
        target = va_arg(arguments, void *);
        va_end(arguments);
    }
    moved = real.mremap(old, old_size, new_size, flags, target);
    if (!is_entered)
        return moved;
    if (moved != MAP_FAILED) {
        if ((flags & MREMAP_DONTUNMAP) == 0)
            assign(old, old_size, 0);
        assign(moved, new_size, owner);
    }
    leave();
    return moved;
}

void map_accounts_inherit(void)
{
    if (interval_map_is_torn(&maps)) {
        interval_map_forget(&maps);
        return;
    }
    for (size_t i = 0; i < maps.count; i++) {
        struct ledger_site *site = record_site_of(maps.items[i].site);

        if (site == NULL)
            continue;
        site->inherited_blocks++;
        site->inherited_bytes += maps.items[i].end - maps.items[i].start;
    }
}
