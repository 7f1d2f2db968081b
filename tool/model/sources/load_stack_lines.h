/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_stack_lines.h - stacks with their names, as lines, into a profile
 *
 * What tally store report -o writes: docs/fleet.md says how the lines lie.
 */
#pragma once

#include "tool/model/profile/profile.h"
#include "tool/model/source.h"

/* The first line of such a text. */
#define STACK_LINES_BEGIN "tally stacks 1\n"

bool stack_lines_are(const void *bytes, size_t size);

int load_stack_lines(const unsigned char *bytes, size_t size,
                     struct profile *profile, struct source_failure *failure);
