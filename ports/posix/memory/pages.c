/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pages.c - Tally's own memory, by system calls
 *
 * After mlockall(MCL_FUTURE) every new mapping is locked and populated at once.
 * A mapping without access rights is not populated; so it is created that way,
 * unlocked, and then made accessible.
 *
 * The kernel limits the number of mappings (vm.max_map_count) and merges equal
 * neighbours. If Tally's and the program's mappings alternated, none could
 * merge. So all but the first PAGES_AMONG of Tally's lie side by side,
 * PAGES_APART below the program's.
 */
#define _GNU_SOURCE
#include "ports/posix/memory/pages.h"

#include <stdint.h>
#include <sys/mman.h>

#include "ports/posix/raw_calls.h"
#include "tally/port.h"

enum { PAGE = 4096, HUGE_PAGE = 2 << 20, PAGES_AMONG = 64 };

#define PAGES_APART ((uintptr_t)1 << 40)

/* Allocations remembered for pages_release(); others stay mapped. */
enum { NOTES = 256 };

static KEPT struct note {
    void *pages; /* NULL: freed */
    size_t size;
} notes[NOTES];
static KEPT uint32_t note_count;

static bool locking;
static uint32_t mapping_count;
static uintptr_t next_place; /* address of the next mapping that lies apart; 0:
                                not chosen yet */

void pages_set_locking(bool is_locked)
{
    __atomic_store_n(&locking, is_locked, __ATOMIC_RELAXED);
}

bool pages_are_locked(void)
{
    return __atomic_load_n(&locking, __ATOMIC_RELAXED);
}

void pages_unlock(void *pages, size_t size)
{
    if (!sandbox_is_closed())
        raw_call(SYS_munlock, RAW_ARGUMENT(pages), (long)size, 0, 0, 0, 0);
}

void pages_advise(void *pages, size_t size)
{
    if (sandbox_is_closed())
        return;
    raw_madvise(pages, size, MADV_DONTDUMP);
    raw_madvise(pages, size, MADV_NOHUGEPAGE);
}

/* A hint: the kernel maps elsewhere if the address is in use. */
static void *wish_place(size_t size)
{
    uintptr_t whole = (size + PAGE - 1) & ~(uintptr_t)(PAGE - 1);

    if (__atomic_load_n(&next_place, __ATOMIC_RELAXED) == 0)
        return NULL;
    return (void *)__atomic_fetch_add(&next_place, whole, __ATOMIC_RELAXED);
}

static void note_place(uintptr_t at)
{
    if (__atomic_add_fetch(&mapping_count, 1, __ATOMIC_RELAXED) ==
            PAGES_AMONG &&
        at > 2 * PAGES_APART)
        __atomic_store_n(&next_place, at - PAGES_APART, __ATOMIC_RELAXED);
}

static void note(void *pages, size_t size)
{
    uint32_t number = __atomic_fetch_add(&note_count, 1, __ATOMIC_RELAXED);

    if (number >= NOTES) {
        __atomic_store_n(&note_count, NOTES, __ATOMIC_RELAXED);
        return;
    }
    notes[number].size = size;
    __atomic_store_n(&notes[number].pages, pages, __ATOMIC_RELEASE);
}

/* Forget pages that are about to be freed. */
static void strike(const void *pages)
{
    for (uint32_t i = 0; i < NOTES; i++) {
        if (__atomic_load_n(&notes[i].pages, __ATOMIC_ACQUIRE) == pages) {
            __atomic_store_n(&notes[i].pages, NULL, __ATOMIC_RELAXED);
            return;
        }
    }
}

void pages_release(void)
{
    for (uint32_t i = 0; i < NOTES; i++) {
        if (notes[i].pages != NULL)
            raw_munmap(notes[i].pages, notes[i].size);
        notes[i].pages = NULL;
    }
    note_count = 0;
}

bool pages_were_given(void)
{
    return note_count != 0;
}

void *tally_port_pages_alloc(size_t size)
{
    bool is_locked = pages_are_locked();
    long at = raw_mmap(wish_place(size), size,
                       is_locked ? PROT_NONE : PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    void *pages = (void *)(uintptr_t)at;

    if (raw_failed(at))
        return NULL;
    note_place((uintptr_t)at);
    if (is_locked) {
        pages_unlock(pages, size);
        if (raw_call(SYS_mprotect, at, (long)size, PROT_READ | PROT_WRITE, 0, 0,
                     0) != 0) {
            raw_munmap(pages, size);
            return NULL;
        }
    }
    pages_advise(pages, size);
    note(pages, size);
    return pages;
}

void tally_port_pages_fill(void *pages, size_t size)
{
    if (size >= HUGE_PAGE && !sandbox_is_closed())
        raw_madvise(pages, size, MADV_HUGEPAGE);
}

void tally_port_pages_free(void *pages, size_t size)
{
    strike(pages);
    raw_munmap(pages, size);
}

void tally_port_pages_forget(void *pages, size_t size)
{
    if (!sandbox_is_closed())
        raw_madvise(pages, size, MADV_DONTNEED);
}
