/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open_profile.h - from what the user named to accounts
 */
#ifndef TALLY_TOOL_COMMANDS_OPEN_PROFILE_H
#define TALLY_TOOL_COMMANDS_OPEN_PROFILE_H

#include "tool/model/images.h"
#include "tool/model/profile.h"

/*
 * Add the ledger of a file, of standard input ("-") or of a live program (its
 * pid) to the profile. A file whose name is a number is named as ./NUMBER.
 * Returns COMMAND_DONE, or COMMAND_USAGE after a complaint.
 */
int open_profile(const char *name, struct profile *profile);

/* Likewise for every image of a list. */
int open_all_images(const struct image_list *images, struct profile *profile);

#endif /* TALLY_TOOL_COMMANDS_OPEN_PROFILE_H */
