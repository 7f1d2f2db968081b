/* SPDX-License-Identifier: Apache-2.0 */
/*
 * site_peaks.h - the most live bytes that each site was ever seen to hold
 *
 * Code that reads a live ledger shows its sites here. A site that holds more
 * than it was ever seen to hold is noted in the copy that was read and, where
 * we may write, in the ledger itself; other processes may do the same
 * meanwhile.
 *
 *     struct site_peaks peaks = { .snapshot = &snapshot, .fd = fd, ... };
 *
 *     while (ledger_reader_next_site(&reader, &cursor, &site) > 0)
 *         site_peaks_see(&peaks, &site);
 *     site_peaks_end(&peaks);
 */
#ifndef TALLY_TOOL_SESSION_SITE_PEAKS_H
#define TALLY_TOOL_SESSION_SITE_PEAKS_H

#include <stdint.h>

#include "format/ledger/ledger_reader.h"
#include "tool/session/find/ledger_snapshot.h"

struct site_peaks {
    const struct ledger_snapshot *snapshot; /* that the sites are read from */
    int fd;                                 /* -1: of no live ledger */
    uint64_t extent;                        /* where in the file it begins */
    unsigned char *page;  /* private: of the live ledger; NULL: none */
    uint64_t page_offset; /* private: in the ledger */
};

/* The live bytes of a site as it was read; not below zero. */
uint64_t site_peaks_live_bytes(const struct ledger_site_view *site);

void site_peaks_see(struct site_peaks *peaks,
                    const struct ledger_site_view *site);
void site_peaks_end(struct site_peaks *peaks);

#endif /* TALLY_TOOL_SESSION_SITE_PEAKS_H */
