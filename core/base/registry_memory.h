/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registry_memory.h - memory for the lists of slabs and heaps
 *
 * Zeroed, aligned to 16, never given back: pieces of pages on hosts, on firmware
 * as much as is asked for. NULL: the port has none. Under the port's lock.
 */
#ifndef TALLY_CORE_REGISTRY_MEMORY_H
#define TALLY_CORE_REGISTRY_MEMORY_H

#include <stddef.h>

void *registry_memory_take(size_t size);

#endif /* TALLY_CORE_REGISTRY_MEMORY_H */
