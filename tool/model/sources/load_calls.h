/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_calls.h - load the calls of a trace
 *
 * A site is a caller, in its module if that is known.
 */
#pragma once

#include "tool/model/profile/profile.h"
#include "tool/model/trace/caller_modules.h"
#include "tool/model/trace/trace_sum.h"

void load_calls(const struct trace_sum *sum,
                const struct caller_modules *modules, struct profile *profile);
