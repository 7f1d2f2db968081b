/* SPDX-License-Identifier: Apache-2.0 */
/*
 * labels.h - tally/label.h: labels as parts of stacks
 *
 * A label is a pair plus the label that it was added to: a tree. In the ledger
 * it is a frame like a call's, the outermost in its stack, so a stack is a
 * separate site for each label, and nothing else changes.
 *
 * The label of a thread is one word. From the process's first label on, that
 * word is one more input of each stack in a cache.
 *
 *   L1  the word holds its own address beside the label's number, so it differs
 *       from every other thread's word
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "ledger/export.h"

enum { LABELS_DEPTH = 8 }; /* limit of pairs in one label */

/* Get ready to keep labels, as whole stacks are recorded. */
void labels_open(void);

/* Unlock its memory after mlockall(). */
void labels_unlock(void);

/* 1 from the first label on. Read it after the generation of loaded files,
   which is raised at that time: older entries of stacks ignore labels. */
extern HIDDEN uint32_t labels_are_used;

/* Return the calling thread's word, or stack_cache_unlabelled before any
   label. */
const uint64_t *labels_word(void);

/* Return the parent of the outermost frame for a label's word; 0 or
   LEDGER_FRAME_CUT without a label. */
uint32_t labels_root(uint64_t word, bool is_cut);
