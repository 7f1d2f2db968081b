/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record_samples.h - how tally record --stacks=sampled takes samples
 */
#ifndef TALLY_TOOL_COMMANDS_RECORD_SAMPLES_H
#define TALLY_TOOL_COMMANDS_RECORD_SAMPLES_H

#include <stdint.h>

#include "tool/commands/options/options.h"

struct record_samples {
    uint64_t interval;  /* bytes between samples, on average; 0: not said */
    uint64_t seed;      /* equal seeds give a program that repeats itself equal
                           samples */
    const char *option; /* the last one of these that was given; or NULL */
};

/* The fields are whole struct record_samples. */
option_take_fn record_samples_take_interval;
option_take_fn record_samples_take_rate;
option_take_fn record_samples_take_seed;

/*
 * Once all options are read: the interval that was not said. COMMAND_GO_ON, or how
 * the command ends.
 */
int record_samples_check(struct record_samples *samples, bool is_sampled);

#endif /* TALLY_TOOL_COMMANDS_RECORD_SAMPLES_H */
