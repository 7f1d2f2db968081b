/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trust.h - what is to be known of a profile before it is believed, in lines
 *
 * Where numbers are estimates or may be too low, what was lost or not seen,
 * stacks that were not followed to their end, frames without a name, names that
 * may be wrong, and notices. Lines are of printable ASCII, whatever the source
 * holds, and the same for each exporter that has a place for them.
 */
#pragma once

#include "tool/model/names/frame_names.h"
#include "tool/model/names/site_names.h"
#include "tool/model/profile/profile.h"

enum { TRUST_LINE_SIZE = 1024 };

/* `line` is valid during the call. */
typedef void trust_line_fn(void *context, const char *line);

/* `frames`, whose names have been found, may be NULL: frames are left out. */
void trust_tell(const struct profile *profile, const struct site_names *names,
                const struct frame_names *frames, trust_line_fn *tell,
                void *context);

/* The same for an allocinfo text alone: what it lacks, and what it counts
   twice. */
void trust_tell_text(const struct profile *profile, trust_line_fn *tell,
                     void *context);
void trust_tell_twice(const struct profile *profile, trust_line_fn *tell,
                      void *context);

/* All lines in one, with "; " before each; the caller frees it. */
char *trust_join(const struct profile *profile, const struct site_names *names,
                 const struct frame_names *frames);

/* How far samples were apart: "one byte in 4,096 was sampled"; with a budget,
   what that took, too. */
const char *trust_sampling(char out[TRUST_LINE_SIZE], uint64_t interval,
                           const struct ledger_sampling *sampling);

/* Events that the accounts lack, or have at another place than theirs. */
uint64_t trust_lost(const struct profile *profile);

/* Whether there are any, also in the trace it was made of, or it was read while
   it changed. */
bool trust_is_lossy(const struct profile *profile);
bool trust_trace_is_lossy(const struct call_summary *calls);

/* Whether allocations of the program itself were not seen, as its notices
   say. */
bool trust_has_unseen(const struct profile *profile);

/* What a count of LEDGER_COUNT_LIST is of; there is a number before it. */
const char *trust_count_sentence(char out[TRUST_LINE_SIZE], size_t which,
                                 uint64_t count);

/* What a notice says; the one "%s" in it stands for its text. */
const char *trust_notice_sentence(uint32_t code);
