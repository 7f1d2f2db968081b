/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pages.c - memory of our own, by system calls
 *
 * After mlockall(MCL_FUTURE) every new mapping is locked and filled at once. A
 * mapping made without access rights is not filled; it is unlocked first and
 * made accessible then.
 */
#define _GNU_SOURCE
#include "ports/posix/pages.h"

#include <stdint.h>
#include <sys/mman.h>

#include "ports/posix/raw_calls.h"
#include "ports/posix/sandbox.h"
#include "tally/port.h"

static bool locking;

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

void *tally_port_pages_alloc(size_t size)
{
    bool is_locked = pages_are_locked();
    long at =
        raw_mmap(NULL, size, is_locked ? PROT_NONE : PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    void *pages = (void *)(uintptr_t)at;

    if (raw_failed(at))
        return NULL;
    if (is_locked) {
        pages_unlock(pages, size);
        if (raw_mprotect(pages, size, PROT_READ | PROT_WRITE) != 0) {
            raw_munmap(pages, size);
            return NULL;
        }
    }
    pages_advise(pages, size);
    return pages;
}

void tally_port_pages_free(void *pages, size_t size)
{
    raw_munmap(pages, size);
}
