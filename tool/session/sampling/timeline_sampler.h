/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline_sampler.h - the timelines and peaks of the images that live
 *
 * While the programs run, their ledgers are read now and then, at first every
 * 100 ms, the totals added to the timeline that each ledger has room for, and
 * what each site holds noted as its peak, if it is one. Whenever a timeline is
 * thinned out its interval doubles. All that takes at most 1 % of one CPU's
 * time: when there is more to read, it is read less often.
 *
 * Resident memory is read after 10 ms, then whenever the image is twice as old,
 * at last twice a second; that takes at most another 1 %.
 */
#ifndef TALLY_TOOL_SESSION_TIMELINE_SAMPLER_H
#define TALLY_TOOL_SESSION_TIMELINE_SAMPLER_H

#include <stdint.h>

#include "tool/session/find/image_table.h"
#include "tool/session/find/session_file.h"

/* Begins as { 0 }. */
struct timeline_sampler {
    uint32_t next;            /* private: the image whose turn it is */
    uint64_t begun_ns;        /* private */
    uint64_t rest_until_ns;   /* private */
    uint64_t resident_cpu_ns; /* private: of one poll, and counted apart */
    uint64_t resident_rest_until_ns; /* private */
};

/* Sample what is due. Returns the milliseconds until the next call. */
int timeline_sampler_poll(struct timeline_sampler *sampler,
                          struct image_table *table,
                          const struct session_file *session);

#endif /* TALLY_TOOL_SESSION_TIMELINE_SAMPLER_H */
