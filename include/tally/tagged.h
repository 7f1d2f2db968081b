/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tagged.h - allocate and charge the block to a tag
 *
 *     DEFINE_ALLOC_TAG(here);
 *     void *block = tally_tag_malloc(&here, 100);
 *
 *     tally_tag_free(block);
 *
 * The macros of tally/malloc.h call these functions; custom allocators may call
 * them, too. Each works like its namesake and, while profiling is on, charges
 * the requested bytes to `tag`. With a NULL tag the block is not charged; under
 * `tally record` it is charged to the call. Any thread; errno is set as by the
 * namesake.
 */
#ifndef TALLY_TAGGED_H
#define TALLY_TAGGED_H

#include <stddef.h>

#include "tally/private/linkage.h"

TALLY_BEGIN_DECLS

struct alloc_tag;

/* Skips the PLT in programs that link the shared library. */
#if defined __has_attribute && __has_attribute(noplt)
#define TALLY_DIRECT __attribute__((noplt))
#else
#define TALLY_DIRECT
#endif

/* Numbers of the parameters whose product is the size of the block. */
#define TALLY_SIZED(parameters) __attribute__((alloc_size parameters))

TALLY_DIRECT TALLY_SIZED((2)) void *tally_tag_malloc(struct alloc_tag *tag,
                                                     size_t size);
TALLY_SIZED((2, 3))
void *tally_tag_calloc(struct alloc_tag *tag, size_t count, size_t size);
TALLY_SIZED((3))
void *tally_tag_realloc(struct alloc_tag *tag, void *block, size_t size);
TALLY_SIZED((3))
void *tally_tag_aligned_alloc(struct alloc_tag *tag, size_t alignment,
                              size_t size);
int tally_tag_posix_memalign(struct alloc_tag *tag, void **block,
                             size_t alignment, size_t size);
TALLY_DIRECT void tally_tag_free(void *block);

TALLY_END_DECLS

#endif /* TALLY_TAGGED_H */
