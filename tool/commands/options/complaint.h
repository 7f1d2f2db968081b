/* SPDX-License-Identifier: Apache-2.0 */
/*
 * complaint.h - the one line that says what is wrong, and lines that say what
 * else is to be known
 *
 *     tally: WHAT: WHY; WHAT TO DO
 *
 * All go to stderr, safe for a terminal whatever names hold. Each complaint
 * returns COMMAND_USAGE.
 */
#pragma once

#include "tool/commands/options/command.h"
#include "tool/model/profile/measure.h"
#include "tool/model/source.h"
#include "tool/text/words.h"

/* "tally: ", and the rest as printf() would print it. Returns COMMAND_USAGE. */
__attribute__((format(printf, 1, 2))) int tell_line(const char *format, ...);

/* Never again: what goes wrong is answered elsewhere. */
void tell_nothing(void);

/* "tally: WHAT: tally report FILE", with the name as the shell takes it. */
void tell_report(const char *what, const char *file);

int complain(const char *what, const char *why, const char *advice);
int complain_about_source(const char *name,
                          const struct source_failure *failure);

/* About a value that an option does not take: "--stacks=every: unknown value;
   use caller, all or sampled". With words, also which of them it may stand
   for. */
int complain_about_value(const char *option, const char *value,
                         const char *known);
int complain_about_near(const char *option, const char *word,
                        const struct word_list *words, const char *known);
int complain_about_word(const char *option, const char *word,
                        const struct word_list *known);

/* `option` asked for a measure that the source does not tell. `others` says
   what to use where there are no totals. */
int complain_about_measure(const char *option, const struct profile *profile,
                           enum measure measure, const char *others);

/* errno says why the output cannot be there. */
int complain_about_output(const char *path);

/* Before long work: files can be made there and, unless `is_forced`, nothing is
   there. COMMAND_GO_ON, or COMMAND_USAGE after a complaint. */
int refuse_taken(bool is_forced, const char *path);

/* With `is_forced` what an earlier run wrote there goes, unless it is `read`:
   former_output.h. COMMAND_GO_ON, or COMMAND_USAGE after a complaint. */
int make_way(bool is_forced, const char *path, const char *read);

/*
 * For commands whose output has no place for it: a line if the source is
 * sampled, so that its numbers are estimates; and lines if a ledger lost
 * events, or its program's were not all seen.
 */
void note_sampling(const char *source, const struct profile *profile);
void note_losses(const char *source, const struct profile *profile);
