/* SPDX-License-Identifier: Apache-2.0 */
/* memory.h - part of tally/port.h: memory for the accounts */
#ifndef TALLY_PORT_MEMORY_H
#define TALLY_PORT_MEMORY_H

#include <stddef.h>

/*
 * Allocate `size` bytes of zeroed memory for Tally's own data, aligned to 4,096
 * bytes on hosts and to 16 on firmware; `size` need not be a multiple. The core
 * frees them with the same size. Return NULL if there is no memory.
 *
 * Any thread; signal handlers on hosts. Called rarely, never on the hot path.
 */
void *tally_port_pages_alloc(size_t size);
void tally_port_pages_free(void *pages, size_t size);

/*
 * Discard the contents of pages from one call of tally_port_pages_alloc().
 * Threads may still read or write the pages, which may read as zeros and need
 * not occupy memory. The pages stay allocated.
 */
void tally_port_pages_forget(void *pages, size_t size);

/* All pages from one call of tally_port_pages_alloc() will be in use soon, so a
   host may take huge ones. Need not do anything. */
void tally_port_pages_fill(void *pages, size_t size);

#endif /* TALLY_PORT_MEMORY_H */
