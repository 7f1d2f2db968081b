/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_stacks.h - the call stacks that callbacks of samples get
 *
 * Each thread that samples has a cache of its own for them (stack_cache.h), whose
 * words lead to frames that it keeps besides.
 */
#ifndef TALLY_RECORDER_CALL_STACKS_H
#define TALLY_RECORDER_CALL_STACKS_H

#include <stddef.h>
#include <stdint.h>

#include "sampling/countdown/countdown.h"
#include "unwind/unwind_rule.h"

/*
 * As struct countdown_carrier has it. `origin` is a struct unwind_origin; NULL: the
 * call that led into this library.
 */
size_t call_stacks_find(struct counted_thread *thread, const void *origin,
                        const uintptr_t **frames);

/* The rule of the frame that a call is in. */
struct unwind_rule call_stacks_rule(uintptr_t call);

/* Some file was unloaded: what is kept may be about it. */
void call_stacks_forget(void);

#endif /* TALLY_RECORDER_CALL_STACKS_H */
