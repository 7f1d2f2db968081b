/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trust.h - the accuracy of a profile, in lines of text
 *
 * Lines name estimates, lost and unrecorded events, truncated stacks, frames
 * without names, names that may be wrong, and notices. All exporters write the
 * same lines, in printable ASCII.
 */
#pragma once

#include "tool/model/names/names.h"
#include "tool/model/profile/profile.h"

enum { TRUST_LINE_SIZE = 1024 };

/* `line` is valid during the call. */
typedef void trust_line_fn(void *context, const char *line);

/* Tell all lines; `frames` may be NULL: then without those about frames. */
void trust_tell(const struct profile *profile, const struct site_names *names,
                const struct frame_names *frames, trust_line_fn *tell,
                void *context);

/* Tell the same lines unescaped, and sites without a name. */
void trust_tell_raw(const struct profile *profile,
                    const struct site_names *names,
                    const struct frame_names *frames, trust_line_fn *tell,
                    void *context);

/* Tell what an allocinfo text lacks, or counts twice. */
void trust_tell_text(const struct profile *profile, trust_line_fn *tell,
                     void *context);
void trust_tell_double_counted(const struct profile *profile,
                               trust_line_fn *tell, void *context);

/* Return all lines in one, with "; " before each; the caller frees it. */
char *trust_join(const struct profile *profile, const struct site_names *names,
                 const struct frame_names *frames);

/* Print the sampling interval, "one byte in 4,096 was sampled", or the budget
   and the CPU time that sampling took. */
const char *trust_sampling(char out[TRUST_LINE_SIZE], uint64_t interval,
                           const struct ledger_sampling *sampling);

/* Return the number of events that were lost, or counted for another site. */
uint64_t trust_lost(const struct profile *profile);

/* Return true if the profile, or the trace that it comes from, lacks events or
   was read while it changed. */
bool trust_is_lossy(const struct profile *profile);

/* Print the sentence that follows a number of LEDGER_COUNT_LIST. */
const char *trust_count_sentence(char out[TRUST_LINE_SIZE], size_t which,
                                 uint64_t count);

/* Return the sentence of a notice; its one "%s" stands for the text. */
const char *trust_notice_sentence(uint32_t code);
