/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_timeline.h - a ledger's totals over time, checked
 *
 * The part of the reader that gives samples; see ledger_reader.h. They come in
 * any order, and one may come twice.
 */
#ifndef TALLY_FORMAT_LEDGER_TIMELINE_H
#define TALLY_FORMAT_LEDGER_TIMELINE_H

#include "format/ledger/ledger_reader.h"

/* The next sample that is valid by now: 1, or 0 at the end, or an error. */
int ledger_reader_next_sample(struct ledger_reader *reader,
                              struct ledger_cursor *cursor,
                              struct ledger_sample *sample);

#endif /* TALLY_FORMAT_LEDGER_TIMELINE_H */
