/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack_trie.h - every stack once: frames that share what led to them
 *
 * The frames are the ledger's (struct ledger_frame); here is how to find one
 * again. Two threads that meet a new frame at the same instant may write it
 * twice; both go on with the one that can be found. Readers add up what is
 * equal.
 *
 * Invariants:
 *
 *   1.  a frame never changes; a key that leads to it may be put to sleep when
 *       a file is unloaded, and wakes only for a frame in the same file
 *   2.  two frames, or sites, whose keys are equal by chance are told apart by
 *       what they hold
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "format/ledger/sites_layout.h"

/* 0 or TALLY_E_NO_MEMORY. */
int stack_trie_open(void);

/*
 * The frame of a call that returns to `address`, in a function that was called
 * from `parent`; 0: no room.
 */
uint32_t stack_trie_frame(uint32_t parent, uintptr_t address);

/*
 * The word (record_word_of) of the site at `caller`, in a function that was
 * called from `frame`; 0: no room. `is_cut`: the frames do not go to the end.
 */
uint32_t stack_trie_site(enum ledger_site_kind kind, uint32_t frame,
                         uintptr_t caller, bool is_cut);

/* Some file was unloaded. */
void stack_trie_forget(void);

/* In a forked child, before it has other threads. */
void stack_trie_adopt(void);
