/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem_slab_registry.h - the list of all slabs
 *
 * What changes in a slab lies in its state, in Tally's own memory or beside the
 * definition, never on a stack: walking the list is safe when a slab's memory
 * is gone. Its state is used again when another slab is initialised in the same
 * place.
 *
 * The list changes under the port's lock. A state that is in it stays.
 */
#ifndef TALLY_CORE_MEM_SLAB_REGISTRY_H
#define TALLY_CORE_MEM_SLAB_REGISTRY_H

#include <stdint.h>

#include "tally/mem_slab.h"

/*
 * The state of a slab that is about to be initialised here, in the list, with
 * words for `blocks` blocks; NULL: no memory. Under the port's lock.
 */
struct tally_slab_state *slab_registry_open(struct k_mem_slab *slab,
                                            uint32_t blocks);

/* Enter it in the ledger, or its new name and size. Under the port's lock. */
void slab_region_enter(struct tally_slab_state *state);

/* The first in the list of all; under the port's lock. One without a slab is
   none. */
const struct tally_slab_state *slab_registry_first(void);

#endif /* TALLY_CORE_MEM_SLAB_REGISTRY_H */
