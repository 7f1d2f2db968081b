/* SPDX-License-Identifier: Apache-2.0 */
/* ledger_resident.h - resident memory as a ledger has it, checked */
#ifndef TALLY_FORMAT_LEDGER_RESIDENT_H
#define TALLY_FORMAT_LEDGER_RESIDENT_H

#include <stdbool.h>

#include "format/ledger/ledger_reader.h"

/*
 * What lay in memory at that time; false: it was not read, is being written, or
 * is more than any process can have.
 */
bool ledger_reader_resident(const struct ledger_reader *reader,
                            enum ledger_resident_time time,
                            struct ledger_resident *resident);

/* All of it, in bytes. */
uint64_t ledger_resident_sum(const struct ledger_resident *resident);

#endif /* TALLY_FORMAT_LEDGER_RESIDENT_H */
