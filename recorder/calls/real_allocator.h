/* SPDX-License-Identifier: Apache-2.0 */
/*
 * real_allocator.h - the allocator behind a jump, which may call us again
 *
 * Its own inner calls, as calloc's of malloc, are not counted: only the call
 * from outside is. Nor is a call that it passes on to the next allocator of
 * that name, which leads to the recorder again.
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

/* depth of the thread's calls that are counted already */
extern HIDDEN _Thread_local uint32_t real_allocator_depth;

/* true if there are such calls at all */
extern HIDDEN bool real_allocator_is_patched;

/* The original code of patched functions, and the functions of `real` before
   it led to that code, for calls that an allocator passes on. */
extern HIDDEN struct allocator moved_code, next_allocator;

static inline bool real_allocator_is_inside(void)
{
    return UNLIKELY(real_allocator_is_patched) && real_allocator_depth != 0;
}

/* Start with the functions of `real`, until real_allocator_set() changes
   one. */
void real_allocator_begin(void);

/*
 * Let real.NAME lead to `code`, through a depth count if it returns blocks. A
 * leaf needs none: it calls no other of the family and passes nothing on.
 * Unknown names are ignored.
 */
void real_allocator_set(const char *name, void *code, bool is_leaf);
