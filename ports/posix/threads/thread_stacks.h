/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_stacks.h - where the stacks of a Linux process's threads lie
 */
#ifndef TALLY_PORTS_POSIX_THREAD_STACKS_H
#define TALLY_PORTS_POSIX_THREAD_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct thread_stack {
    uintptr_t start, end;
    uintptr_t lowest; /* that was ever found in use; end: nothing yet */
};

/*
 * Find the stack of the thread `tid` of this process. False when it is not
 * known: it is ending, or its C library keeps no list of robust mutexes in it.
 */
bool thread_stack_find(int tid, struct thread_stack *stack);

/*
 * Look again how far down it was used; if thorough, also behind a gap of more
 * than 256 KiB. Pages that were swapped out count as long as they were seen
 * before.
 */
void thread_stack_update(struct thread_stack *stack, bool is_thorough);

/* Bytes between its stack pointer and its end, or 0 while it runs. */
size_t thread_stack_depth(int tid, const struct thread_stack *stack);

#endif /* TALLY_PORTS_POSIX_THREAD_STACKS_H */
