/* SPDX-License-Identifier: Apache-2.0 */
/* load_ledger.h - load a ledger */
#pragma once

#include <stddef.h>

#include "tool/model/profile/profile.h"
#include "tool/model/source.h"

/* Return 0, or -1 with the reason and the profile partly filled. */
int load_ledger(const unsigned char *bytes, size_t size,
                struct profile *profile, struct source_failure *failure);

/*
 * Subtract an earlier ledger of the only image: totals count from then on,
 * blocks that were live then are inherited, and the peak is unknown. All else
 * stays. Return 0, or -1, also for another image's ledger.
 */
int load_ledger_earlier(const unsigned char *bytes, size_t size,
                        struct profile *profile,
                        struct source_failure *failure);
