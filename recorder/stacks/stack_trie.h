/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack_trie.h - every stack once: frames with the same callers are shared
 *
 * The frames are the ledger's (struct ledger_frame); this finds them again. Two
 * threads with the same new frame at the same time may write it twice; both
 * continue with the one that can be found. Readers add up equal frames.
 *
 * Invariants:
 *
 *   1.  a frame never changes; its key may be put to sleep when a file is
 *       unloaded, and wakes only for a frame in the same file
 *   2.  frames or sites with equal keys are told apart by their contents
 *   3.  under a frame that its thread has just made, nothing is searched for:
 *       nothing can be found, unless another thread was faster, which may add a
 *       frame or a site once more
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "format/ledger/segments_layout.h"
#include "ledger/space/modules.h"

/* Return 0 or TALLY_E_NO_MEMORY. */
int stack_trie_open(void);

/* Return the frame of a call that returns to `address`, in a function called
   from `parent`; 0: no space. *is_new: this call has just made the parent;
   changed to whether the frame was made. `near` is as in modules.h. */
uint32_t stack_trie_frame(struct module_range *near, uint32_t parent,
                          uintptr_t address, bool *is_new);

/* Return the word (ledger_word_of) of the site at `caller`, in a function
   called from `frame`, which `is_new` if it was just made; 0: no space.
   `is_cut`: the frames are incomplete. */
uint32_t stack_trie_site(struct module_range *near, enum ledger_site_kind kind,
                         uint32_t frame, uintptr_t caller, bool is_cut,
                         bool is_new);

/* Put all frames and sites to sleep: a file was unloaded. */
void stack_trie_forget(void);

/* Reset other threads' state in a forked child, before it has threads. */
void stack_trie_adopt(void);
