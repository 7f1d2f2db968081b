/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_timeline.h - a ledger's totals over time and its resident memory,
 * checked
 *
 * The part of the reader that gives what tally record measures; see
 * ledger_reader.h. Samples come in any order, and one may come twice.
 */
#ifndef TALLY_FORMAT_LEDGER_TIMELINE_H
#define TALLY_FORMAT_LEDGER_TIMELINE_H

#include <stdbool.h>

#include "format/ledger/ledger_reader.h"

/* The next sample that is valid by now: 1, or 0 at the end, or an error. */
int ledger_reader_next_sample(struct ledger_reader *reader,
                              struct ledger_cursor *cursor,
                              struct ledger_sample *sample);

/*
 * What lay in memory at that time; false: it was not read, is being written, or
 * is more than any process can have.
 */
bool ledger_reader_resident(const struct ledger_reader *reader,
                            enum ledger_resident_time time,
                            struct ledger_resident *resident);

/* All of it, in bytes. */
uint64_t ledger_resident_sum(const struct ledger_resident *resident);

#endif /* TALLY_FORMAT_LEDGER_TIMELINE_H */
