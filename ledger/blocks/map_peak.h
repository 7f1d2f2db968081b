/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map_peak.h - the bytes of each MAP site at the peak of maps
 *
 * Maps are few and change under one lock, so their peak is exact with any
 * number of threads. It is the last moment at which accessible maps had the
 * most bytes and, among such moments, those without access (PROT_NONE) had.
 *
 * LEDGER_SEGMENT_MAP_PEAKS holds the difference between a site's bytes at the
 * peak and now, with the number of that peak. A record with an earlier number
 * is no difference: so nothing is copied or reset at a peak.
 */
#pragma once

#include "ledger/blocks/peak.h"

/* Add a map or unmap to the whole, after its site's counters; `is_reserved`: it
   was mapped without access. One thread at a time. */
void map_peak_add(struct peak_change change, bool is_reserved);
