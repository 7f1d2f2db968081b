/* SPDX-License-Identifier: Apache-2.0 */
/* stack_memory.c - readable memory of stacks; see stack_memory.h */
#include "unwind/stack_memory.h"

#include "format/invariant.h"
#include "ports/posix/page_map.h"
#include "ports/posix/raw_calls.h"

/* Larger stacks are checked page by page, each time. */
#define OWN_LIMIT (UINT64_C(64) << 20)

/* stack_guard_gap of the kernel: 256 pages */
#define STACK_GUARD (UINT64_C(1) << 20)

static uintptr_t page_of(uintptr_t address)
{
    return address & ~(uintptr_t)(PAGE_MAP_PAGE - 1);
}

/* Return the first unreadable page in [from, to), or `to`. */
static uintptr_t find_gap(uintptr_t from, uintptr_t to)
{
    while (from < to && readable_page(from))
        from += PAGE_MAP_PAGE;
    return from;
}

/*
 * Return the end of the own stack. Threads made by libc have their thread
 * pointer there; the first thread, or the only one after a fork, has it right
 * above unrelated memory.
 */
static uintptr_t own_end(uintptr_t thread, uintptr_t from)
{
    if (from < thread && thread - from <= OWN_LIMIT && !sandbox_is_closed() &&
        raw_gettid() != raw_getpid())
        return thread;
    return (uintptr_t)__libc_stack_end;
}

/* Return true if the kernel keeps the space from `page` up free for the first
   thread's stack: nothing else can lie there. */
static bool is_first_stack(const struct stack_memory *memory, uintptr_t page)
{
    return memory->high == ((uintptr_t)__libc_stack_end & ~(uintptr_t)7) &&
           memory->low - page <= STACK_GUARD;
}

static void find_own(struct stack_memory *memory, uintptr_t page)
{
    uintptr_t end = own_end(memory->thread, page);
    uintptr_t gap;

    if (page >= end || end - page > OWN_LIMIT)
        return;
    gap = find_gap(page, end);
    if (gap < end) {
        memory->gap = gap;
        return;
    }
    memory->low = page;
    memory->high = end & ~(uintptr_t)7;
}

void stack_memory_begin(struct stack_memory *memory, uintptr_t from)
{
    uintptr_t thread = (uintptr_t)__builtin_thread_pointer();
    uintptr_t page = page_of(from);

    memory->page_count = 0;
    if (memory->thread != thread) {
        memory->thread = thread;
        memory->low = memory->high = memory->gap = 0;
    }
    INVARIANT(M1, memory->low <= memory->high);
    if (stack_memory_is_own(memory, from))
        return;
    if (memory->high == 0) {
        /* not again for each call from the same coroutine */
        if (page >= memory->gap || memory->gap - page > OWN_LIMIT)
            find_own(memory, page);
    } else if (from < memory->low && memory->low - page <= OWN_LIMIT) {
        if ((page >= memory->gap || memory->gap > memory->low ||
             memory->gap == 0) &&
            (is_first_stack(memory, page) ||
             find_gap(page, memory->low) == memory->low))
            memory->low = page;
    }
}

bool stack_memory_has(struct stack_memory *memory, uintptr_t address)
{
    uintptr_t page = page_of(address);

    if (stack_memory_is_own(memory, address))
        return true;
    INVARIANT(M2, memory->page_count <= STACK_MEMORY_PAGES);
    for (uint32_t i = 0; i < memory->page_count; i++) {
        if (memory->pages[i] == page)
            return true;
    }
    if (!readable_page(page))
        return false;
    memory->pages[memory->page_count % STACK_MEMORY_PAGES] = page;
    if (memory->page_count < STACK_MEMORY_PAGES)
        memory->page_count++;
    return true;
}
