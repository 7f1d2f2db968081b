/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_stack_lines.h - load stacks with names, one a line
 *
 * The output of tally store report -o; docs/fleet.md has the format.
 */
#pragma once

#include "tool/model/profile/profile.h"
#include "tool/model/source.h"

/* first line */
#define STACK_LINES_BEGIN "tally stacks 1\n"

bool stack_lines_are(const void *bytes, size_t size);

int load_stack_lines(const unsigned char *bytes, size_t size,
                     struct profile *profile, struct source_failure *failure);
