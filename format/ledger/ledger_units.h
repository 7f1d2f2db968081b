/* SPDX-License-Identifier: Apache-2.0 */
/* ledger_units.h - what all segments of a ledger are made of */
#pragma once

#include <stdint.h>

enum {
    LEDGER_PAGE = 4096,
    LEDGER_DIRECTORY_CAPACITY = 1920, /* entries at the begin */
    LEDGER_TOTAL_CAPACITY = 9,        /* of the header */
};

/* Bytes in a TEXT segment; not NUL-terminated. length 0: no text. */
struct ledger_text {
    uint64_t offset;       /* from the start of the ledger */
    uint32_t length;       /* bytes */
    uint32_t unseen_frees; /* of a site's place: what it says; else reserved */
};
