/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_stacks.h - the frames of a ledger, added to a profile
 */
#ifndef TALLY_TOOL_MODEL_LOAD_STACKS_H
#define TALLY_TOOL_MODEL_LOAD_STACKS_H

#include <stdint.h>

#include "tool/model/sources/load_modules.h"

/* Begins as { 0 }. */
struct loaded_frames {
    struct loaded_frame {
        uint32_t frame; /* of the profile, STACK_CUT if it is not there */
        uint32_t depth;
    } * frames; /* by the ledger's number */
    uint32_t limit;
};

/* Load every frame. 0, an enum ledger_error or PROFILE_E_NO_MEMORY. */
int loaded_frames_load(struct loaded_frames *frames,
                       struct loaded_modules *modules);
void loaded_frames_free(struct loaded_frames *frames);

/* The profile's frame for the ledger's number, or what stands in its place. */
uint32_t loaded_frames_find(const struct loaded_frames *frames,
                            uint32_t number);

/* What the header and the site's segments tell of the peak and of temporary
   blocks, into the amounts. 0 or an enum ledger_error. */
int load_peak(struct ledger_reader *reader, struct profile *profile);
int load_site_extras(struct ledger_reader *reader,
                     const struct profile *profile,
                     const struct ledger_site_view *site,
                     struct profile_amounts *amounts);

#endif /* TALLY_TOOL_MODEL_LOAD_STACKS_H */
