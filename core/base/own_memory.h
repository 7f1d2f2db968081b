/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own_memory.h - the pages that Tally itself holds, by the line that took them
 *
 *     static struct own_memory slots = OWN_MEMORY;
 *
 *     table = own_memory_alloc(&slots, size);
 *
 * They are counted beside the accounts, not in them: taking pages for an
 * account must not need one. allocinfo shows them as rows of module "tally".
 */
#pragma once

#include <stddef.h>

#include "tally/alloc_tag.h"
#include "tally/port.h"

struct own_memory {
    struct alloc_tag tag; /* first: a tag of Tally's own leads here */
    struct own_memory *next;
    size_t live_bytes, live_calls, total_bytes, total_calls;
};

/* Inside a function, for its line; elsewhere under a name. */
#define OWN_MEMORY OWN_MEMORY_OF(__func__)
#define OWN_MEMORY_OF(name)                \
    {                                      \
        .tag = { .file = __FILE__,         \
                 .function = (name),       \
                 .modname = "tally",       \
                 .lineno = __LINE__,       \
                 .flags = ALLOC_TAG_OWN }, \
    }

#if __STDC_HOSTED__
/* Pages from the port, and back to it. */
void *own_memory_alloc(struct own_memory *own, size_t size);
void own_memory_free(struct own_memory *own, void *pages, size_t size);

/*
 * One of `*spare`, each of which begins with a pointer to the next; where there
 * is none, of a page of them. NULL: no memory. Under a lock of the caller's.
 */
void *own_memory_piece(struct own_memory *own, void **spare, size_t size);

/* All that were ever used. */
struct own_memory *own_memory_first(void);
#else
/* Firmware has given Tally an array: no rows, and nothing to count for them. */
#define own_memory_alloc(own, size) ((void)(own), tally_port_pages_alloc(size))
#define own_memory_free(own, pages, size) \
    ((void)(own), tally_port_pages_free(pages, size))
#define own_memory_first() ((struct own_memory *)NULL)
#endif
