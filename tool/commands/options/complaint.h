/* SPDX-License-Identifier: Apache-2.0 */
/*
 * complaint.h - error messages and notes of commands
 *
 *     tally: WHAT: WHY; WHAT TO DO
 *
 * All go to stderr, escaped for a terminal. Each complaint returns
 * COMMAND_USAGE.
 */
#pragma once

#include "tool/commands/options/command.h"
#include "tool/model/profile/measure.h"
#include "tool/model/source.h"
#include "tool/text/text.h"

/* Print "tally: " and the formatted line; return COMMAND_USAGE. */
__attribute__((format(printf, 1, 2))) int tell_line(const char *format, ...);

/* Print no more lines: errors are reported elsewhere. */
void tell_nothing(void);

/* Print "tally: WHAT: tally report FILE", with the name quoted for the
   shell. */
void tell_report(const char *what, const char *file);

int complain(const char *what, const char *why, const char *advice);
int complain_about_source(const char *name,
                          const struct source_failure *failure);

/* Complain about a value of an option: "--stacks=every: unknown value; use
   caller, all or sampled". With words, also suggest near ones. */
int complain_about_value(const char *option, const char *value,
                         const char *known);
int complain_about_near(const char *option, const char *word,
                        const struct word_list *words, const char *known);
int complain_about_word(const char *option, const char *word,
                        const struct word_list *known);

/* Complain that the source lacks the measure that `option` asked for. `others`
   is the advice where totals are missing. */
int complain_about_measure(const char *option, const struct profile *profile,
                           enum measure measure, const char *others);

/* Complain about an output, by errno. */
int complain_about_output(const char *path);

/* Check, before long work, that files can be made there and, unless
   `is_forced`, that `path` does not exist. Return COMMAND_GO_ON, or
   COMMAND_USAGE after a complaint. */
int refuse_taken(bool is_forced, const char *path);

/* With `is_forced`, remove former output at `path` unless it is the file `read`
   (former_output.h). Return COMMAND_GO_ON, or COMMAND_USAGE after a
   complaint. */
int make_way(bool is_forced, const char *path, const char *read);

/*
 * Print what the output has no place for: a line if numbers are estimates from
 * samples; lines if events were lost or not recorded.
 */
void note_sampling(const char *source, const struct profile *profile);
void note_losses(const char *source, const struct profile *profile);
