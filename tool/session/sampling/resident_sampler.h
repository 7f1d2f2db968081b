/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resident_sampler.h - resident memory of the images that live, now and then
 *
 * After 10 ms, then whenever the image is twice as old, at last twice a second.
 * timeline_sampler.h sees to it that reading takes at most 1 % of one CPU's time,
 * besides what it takes itself.
 */
#ifndef TALLY_TOOL_SESSION_RESIDENT_SAMPLER_H
#define TALLY_TOOL_SESSION_RESIDENT_SAMPLER_H

#include <stdint.h>

#include "tool/session/find/image_table.h"
#include "tool/session/find/ledger_snapshot.h"

struct ledger_sample;

/*
 * If it is due, read the memory of image `number`, of which `snapshot` and
 * `sample` were taken a moment ago, and store it in its ledger in the session's
 * file `fd`. Returns the nanoseconds of a CPU that it took.
 */
uint64_t resident_sampler_take(struct image *image, uint32_t number, int fd,
                               const struct ledger_snapshot *snapshot,
                               const struct ledger_sample *sample);

#endif /* TALLY_TOOL_SESSION_RESIDENT_SAMPLER_H */
