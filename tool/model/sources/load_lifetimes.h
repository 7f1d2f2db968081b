/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_lifetimes.h - what the samples of a ledger tell, added to a profile
 */
#ifndef TALLY_TOOL_MODEL_LOAD_LIFETIMES_H
#define TALLY_TOOL_MODEL_LOAD_LIFETIMES_H

#include "format/ledger/ledger_lifetimes.h"
#include "tool/model/profile/profile.h"

/* Whether the ledger is sampled, and how. */
void load_sampling(const struct ledger_reader *reader, struct profile *profile);

/*
 * Of a site of a sampled ledger: variances into its amounts, and its lifetimes,
 * which are stored at `lifetimes`. 0 or an enum ledger_error.
 */
int load_lifetimes(struct ledger_reader *reader,
                   const struct ledger_site_view *view,
                   struct lifetimes *lifetimes, struct profile_site *site);

#endif /* TALLY_TOOL_MODEL_LOAD_LIFETIMES_H */
