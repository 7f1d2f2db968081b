/* SPDX-License-Identifier: Apache-2.0 */
/* ledger_units.h - common units of all segments of a ledger */
#pragma once

#include <stdint.h>

enum {
    LEDGER_PAGE = 4096,
    LEDGER_DIRECTORY_CAPACITY = 1920, /* entries in the first directory */
    LEDGER_TOTAL_CAPACITY = 9,        /* of the header */
};

/* Bytes in a TEXT segment; not NUL-terminated. Length 0: no text. */
struct ledger_text {
    uint64_t offset;       /* from the start of the ledger */
    uint32_t length;       /* bytes */
    uint32_t unseen_frees; /* of a site's place: its unseen frees; else
                              reserved */
};
