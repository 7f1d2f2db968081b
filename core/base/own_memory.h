/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own_memory.h - memory of Tally itself, by source line
 *
 *     static struct own_memory slots = OWN_MEMORY;
 *
 *     table = own_memory_alloc(&slots, size);
 *
 * This memory has counters of its own, since allocating pages for an account
 * must not need an account. allocinfo shows it as rows of module "tally".
 */
#pragma once

#include <stddef.h>

#include "tally/alloc_tag.h"
#include "tally/config.h"
#include "tally/port.h"

struct own_memory {
    struct alloc_tag tag; /* first: a tag of Tally's own points here */
    struct own_memory *next;
    size_t live_bytes, live_calls, total_bytes, total_calls;
};

/* Initializer: inside a function, for its line; elsewhere with a name. */
#define OWN_MEMORY OWN_MEMORY_OF(__func__)
#define OWN_MEMORY_OF(name)                \
    {                                      \
        .tag = { .file = __FILE__,         \
                 .function = (name),       \
                 .modname = "tally",       \
                 .lineno = __LINE__,       \
                 .flags = ALLOC_TAG_OWN }, \
    }

#if TALLY_HAS(OS)
/* Allocate pages from the port, nearly all of which will be used, and free
   them. */
void *own_memory_alloc(struct own_memory *own, size_t size);
void own_memory_free(struct own_memory *own, void *pages, size_t size);

/*
 * Take a piece from `*spare`, a list linked by the first word of each piece;
 * refill an empty list from a page. Return NULL if there is no memory. The
 * caller holds a lock.
 */
void *own_memory_piece(struct own_memory *own, void **spare, size_t size);

/* Return the first of all that were ever used. */
struct own_memory *own_memory_first(void);
#else
/* Firmware gives Tally a static array: there are no rows and counters for
   it. */
#define own_memory_alloc(own, size) ((void)(own), tally_port_pages_alloc(size))
#define own_memory_free(own, pages, size) \
    ((void)(own), tally_port_pages_free(pages, size))
#define own_memory_first() ((struct own_memory *)NULL)
#endif
