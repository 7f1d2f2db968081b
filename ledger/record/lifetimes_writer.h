/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lifetimes_writer.h - sums over samples in this process's ledger
 *
 * Any thread and any signal handler; takes no lock. What has been added is in
 * the ledger, whatever becomes of the process.
 */
#ifndef TALLY_LEDGER_LIFETIMES_WRITER_H
#define TALLY_LEDGER_LIFETIMES_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "format/ledger/lifetimes_layout.h"
#include "ledger/record/sample_weight.h"

/* The id of a site, by its reference; 0: it has none. */
uint32_t lifetimes_site(uint32_t reference);

/* Add one more sample to a sum of a site. `which` is an enum ledger_life, or
   LEDGER_LIFE_FREED and a class. False: there was no room. */
bool lifetimes_add(uint32_t site, unsigned which,
                   const struct sample_weight *weight);

#endif /* TALLY_LEDGER_LIFETIMES_WRITER_H */
