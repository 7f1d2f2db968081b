/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_ledger.h - the accounts of one ledger, added to a profile
 */
#pragma once

#include <stddef.h>

#include "tool/model/profile/profile.h"
#include "tool/model/source.h"

/* 0, or -1 with what is wrong in `failure` and the profile half filled. */
int load_ledger(const unsigned char *bytes, size_t size,
                struct profile *profile, struct source_failure *failure);

/*
 * Take what an earlier ledger of the only image in the profile says away from
 * it: totals are counted from then on, what lived then is inherited, and what
 * the heap held most is not known. All else stays as it is. -1 also for the
 * ledger of another image.
 */
int load_ledger_earlier(const unsigned char *bytes, size_t size,
                        struct profile *profile,
                        struct source_failure *failure);
