/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tagged_calls.h - calls of libtally, which says what site they are charged to
 *
 * As struct engine_table has them, with site 0 for nobody. The plain ones are for
 * who has counted the call already: counted_due.c.
 */
#ifndef TALLY_RECORDER_TAGGED_CALLS_H
#define TALLY_RECORDER_TAGGED_CALLS_H

#include <stddef.h>
#include <stdint.h>

void *tagged_allocate(size_t alignment, size_t size, uint32_t site,
                      uintptr_t caller);
void *tagged_allocate_zeroed(size_t count, size_t size, uint32_t site,
                             uintptr_t caller);
void *tagged_resize(void *block, size_t size, uint32_t site, uintptr_t caller);

void *tagged_allocate_plain(size_t alignment, size_t size, uint32_t site,
                            uintptr_t caller);
void *tagged_allocate_zeroed_plain(size_t count, size_t size, uint32_t site,
                                   uintptr_t caller);
void *tagged_resize_plain(void *block, size_t size, uint32_t site,
                          uintptr_t caller);

#endif /* TALLY_RECORDER_TAGGED_CALLS_H */
