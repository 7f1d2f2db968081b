/* SPDX-License-Identifier: Apache-2.0 */
/*
 * observe.h - one call of the malloc family, in all forms, in any mode
 *
 *     ask for refusals, take the old block, perform, charge, notify
 *
 * Code that may refuse calls or takes samples is a client of the countdown
 * (countdown.h): one subtraction says whether any client is due. Code that sees
 * each call is an observer: observer.h. Sites are charged as for an
 * unobserved call.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "format/text/mem_trace_text.h"
#include "ledger/export.h"

typedef void *observe_by_size_fn(size_t size);
typedef void *observe_aligned_fn(size_t alignment, size_t size);
typedef void *observe_resize_fn(void *block, size_t size, uint32_t beside);

/* entry points of MODE_STARTING and MODE_OBSERVED */
void *observe_malloc(size_t size);
void *observe_calloc(size_t count, size_t size);
void *observe_realloc(void *block, size_t size);
void observe_free(void *block);

/* All other calls, in any mode; `allocate` is the real function. The block is
   charged to `site`, named by libtally, or if it is 0 to `caller`. */
void *observe_by_size(observe_by_size_fn *allocate, size_t size, uint32_t site,
                      uintptr_t caller);
void *observe_aligned(observe_aligned_fn *allocate, size_t alignment,
                      size_t size, uint32_t site, uintptr_t caller);
/* `allocate` leaves the error, or 0, in errno; NULL: call the real one. */
int observe_posix_memalign(observe_aligned_fn *allocate, void **block,
                           size_t alignment, size_t size, uintptr_t caller);

/* Blocks of an allocator other than the one behind us: `resize` takes flags or
   an alignment besides; the caller frees after observe_released(). */
void *observe_resized(observe_resize_fn *resize, void *block, size_t size,
                      uint32_t beside, uintptr_t caller);
void observe_released(void *block, uintptr_t caller);

/* Make one attempt of operator new; observers do not see a failed one. */
void *observe_new(observe_aligned_fn *allocate, size_t alignment, size_t size,
                  uintptr_t caller);

/* Report a request that fails without the allocator. */
void observe_failure(const struct mem_trace_event *event);

/* Calls of libtally, with the site to charge, or 0: `caller`. See struct
   engine_table. */
void *observe_tagged(size_t alignment, size_t size, uint32_t site,
                     uintptr_t caller);
void *observe_tagged_zeroed(size_t count, size_t size, uint32_t site,
                            uintptr_t caller);
void *observe_tagged_resize(void *block, size_t size, uint32_t site,
                            uintptr_t caller);
