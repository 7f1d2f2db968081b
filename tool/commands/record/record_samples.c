/* SPDX-License-Identifier: Apache-2.0 */
/* record_samples.c - see record_samples.h */
#include "tool/commands/record/record_samples.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/commands/options/command.h"
#include "tool/commands/options/unknown_value.h"
#include "tool/text/number.h"

enum { DEFAULT_INTERVAL = 512 << 10 };

#define LARGEST_INTERVAL (UINT64_C(1) << 40)

int record_samples_take_interval(const char *name, const char *value,
                                 void *field)
{
    struct record_samples *samples = field;

    samples->option = "--interval";
    return parse_bytes(value, &samples->interval) && samples->interval >= 1 &&
                   samples->interval <= LARGEST_INTERVAL
               ? COMMAND_GO_ON
               : complain_about_value(name, value,
                                      "bytes, such as 524288, 512K or 1M");
}

/* A probability, of which the nearest whole interval is taken. */
int record_samples_take_rate(const char *name, const char *value, void *field)
{
    struct record_samples *samples = field;
    char *end;
    double rate = strtod(value, &end);

    samples->option = "--rate";
    if (end == value || *end != '\0' || !(rate > 0 && rate <= 1) ||
        1 / rate > (double)LARGEST_INTERVAL)
        return complain_about_value(
            name, value, "the probability of a byte, such as 1e-5, up to 1");
    samples->interval = (uint64_t)round(1 / rate);
    return COMMAND_GO_ON;
}

int record_samples_take_seed(const char *name, const char *value, void *field)
{
    struct record_samples *samples = field;
    char *end;

    samples->option = "--seed";
    errno = 0;
    samples->seed = strtoumax(value, &end, 10);
    return errno == 0 && *value >= '0' && *value <= '9' && *end == '\0'
               ? COMMAND_GO_ON
               : complain_about_value(name, value, "a whole number");
}

int record_samples_check(struct record_samples *samples, bool is_sampled)
{
    if (samples->interval == 0)
        samples->interval = DEFAULT_INTERVAL;
    if (is_sampled || samples->option == NULL)
        return COMMAND_GO_ON;
    fprintf(stderr,
            "tally: record: %s: nothing is sampled; use it with "
            "--stacks=sampled\n",
            samples->option);
    return COMMAND_USAGE;
}
