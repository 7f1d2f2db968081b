/* SPDX-License-Identifier: Apache-2.0 */
/*
 * labels.h - tally/label.h: labels, and what stacks have to know of them
 *
 * A label is a pair and the label that it was added to: a tree. In the ledger
 * it is a frame like a call's, outermost in each stack, so that a stack is a
 * site of its own for each label, and nothing else changes.
 *
 * The label of a thread is one word. From the first label of the process on
 * that word is one more input of each stack that a cache knows.
 *
 *   L1  the word holds its own address beside the label's number, so that it is
 *       equal to no other thread's, wherever that lay
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "ledger/export.h"

enum { LABELS_DEPTH = 8 }; /* pairs that a label has at most */

/* Whole stacks are recorded: labels can be kept. */
void labels_open(void);

/* After mlockall. */
void labels_unlock(void);

/* 1 from the first label on. Read after the generation of loaded files, which
   is raised then: what is known of stacks says nothing of labels. */
extern HIDDEN uint32_t labels_are_used;

/* The calling thread's word; stack_cache_unlabelled: no label was ever set. */
const uint64_t *labels_word(void);

/*
 * In place of a parent: what the outermost frame is called from under a label,
 * which is what such a word says. Without a label 0 or LEDGER_FRAME_CUT.
 */
uint32_t labels_root(uint64_t word, bool is_cut);
