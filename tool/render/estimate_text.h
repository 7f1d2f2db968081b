/* SPDX-License-Identifier: Apache-2.0 */
/*
 * estimate_text.h - estimates as people read them
 */
#ifndef TALLY_TOOL_RENDER_ESTIMATE_TEXT_H
#define TALLY_TOOL_RENDER_ESTIMATE_TEXT_H

#include "tool/model/profile/estimate.h"

enum { ESTIMATE_MARGIN_SIZE = 100, ESTIMATE_TEXT_SIZE = 160 };

/* "1,234,567 ± 12 %", "1,234 (130 to 5,600)" where the interval is wider than
   the number, "0 (at most 5,600)"; a bare number where nothing is uncertain. */
char *estimate_text(char out[ESTIMATE_TEXT_SIZE], int64_t value,
                    struct interval interval);

/* "± 12 %" and so on, without the number; "" where nothing is uncertain. */
char *estimate_margin(char out[ESTIMATE_MARGIN_SIZE], int64_t value,
                      struct interval interval);

/* "+1,000 (-400 to 2,400)": what grew has its sign. */
char *estimate_growth(char out[ESTIMATE_TEXT_SIZE], int64_t value,
                      struct interval interval);

/* "12 % (3-30)", "11.1 % (11.0-11.3)", "0.0 %" where the bounds are no other
   tenths; "-" when nothing is known. */
char *estimate_share(char out[ESTIMATE_TEXT_SIZE], const struct share *share);

#endif /* TALLY_TOOL_RENDER_ESTIMATE_TEXT_H */
