/* SPDX-License-Identifier: Apache-2.0 */
/*
 * closing_account.h - what tally record says once the program has ended
 */
#ifndef TALLY_TOOL_SESSION_CLOSING_ACCOUNT_H
#define TALLY_TOOL_SESSION_CLOSING_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "format/ledger/counts_layout.h"
#include "tool/session/find/ledger_snapshot.h"

enum { CLOSING_NOTICE_CAPACITY = 8 };

struct closing_notice {
    uint32_t code;
    char text[256];
};

/* Begins as { 0 }. */
struct closing_account {
    bool is_readable;     /* of the first image: the totals below are known */
    bool is_estimate;     /* they are, for the image was sampled */
    uint64_t allocations; /* heap only, as all of these */
    uint64_t live_blocks;
    uint64_t live_bytes;

    uint64_t counts[LEDGER_COUNT_COUNT]; /* of all images */
    struct closing_notice notices[CLOSING_NOTICE_CAPACITY];
    uint32_t notice_count;
    uint32_t more_notices; /* different ones that found no room */
};

/* Totals of the first image. */
void closing_account_add_totals(struct closing_account *account,
                                const struct ledger_snapshot *snapshot);

/* Notices and counts of any image; equal notices are kept once. */
void closing_account_add_notices(struct closing_account *account,
                                 const struct ledger_snapshot *snapshot);

#endif /* TALLY_TOOL_SESSION_CLOSING_ACCOUNT_H */
