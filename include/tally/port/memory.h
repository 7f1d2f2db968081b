/* SPDX-License-Identifier: Apache-2.0 */
/* memory.h - part of tally/port.h: memory for the accounts */
#ifndef TALLY_PORT_MEMORY_H
#define TALLY_PORT_MEMORY_H

#include <stddef.h>

/*
 * `size` bytes of zeroed memory for the accounts themselves, aligned to 4,096
 * bytes on hosts and to 16 on firmware; `size` need not be a multiple. The core
 * owns them until it gives them back with the same size. NULL when there are
 * none left.
 *
 * Any thread; signal handlers on hosts. Called rarely, never on the hot path.
 */
void *tally_port_pages_alloc(size_t size);
void tally_port_pages_free(void *pages, size_t size);

/*
 * Pages, all of one call of tally_port_pages_alloc(), whose contents are no
 * longer of use. Threads may still read or write them: from now on they need
 * hold no memory, and may read as zeros. They are not given back.
 */
void tally_port_pages_forget(void *pages, size_t size);

#endif /* TALLY_PORT_MEMORY_H */
