/* SPDX-License-Identifier: Apache-2.0 */
/*
 * behind.h - the allocator behind a jump, which may come back to us
 *
 * What such an allocator asks of itself, as calloc asks malloc, counts once:
 * for the call that came from outside. So does what it hands on to the next
 * allocator of that name, which leads to the recorder again.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ledger/export.h"
#include "recorder/real_functions.h"

struct allocator {
#define ALLOCATOR_MEMBER(type, name, parameters, ...) type(*name) parameters;
    REAL_ALLOCATOR_LIST(ALLOCATOR_MEMBER)
    void (*free)(void *block);
};

/* How deep the thread is in calls that are accounted already. */
extern HIDDEN _Thread_local uint32_t behind_depth;

/* Whether there are such calls at all. */
extern HIDDEN bool behind_is_used;

/* What the functions were that have a jump now, and those of `real` before. */
extern HIDDEN struct allocator moved_code, behind;

static inline bool behind_is_deep(void)
{
    return UNLIKELY(behind_is_used) && behind_depth != 0;
}

/* What is behind us is what it was, until behind_set() says otherwise. */
void behind_begin(void);

/*
 * From now on real.NAME leads to `code`, one deeper if it hands out blocks, but
 * not where it `is_leaf`: it asks no other of the family, and is none that
 * hands on. Of a name that is not known nothing is kept.
 */
void behind_set(const char *name, void *code, bool is_leaf);
