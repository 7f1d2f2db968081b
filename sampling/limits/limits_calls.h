/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limits_calls.h - tally/limits.h, in a form that may be shared
 *
 * As memprof_calls.h: every copy of this library takes the recorder's limits when
 * the recorder is there; without it nothing is counted, and no scope begins.
 */
#ifndef TALLY_CORE_LIMITS_CALLS_H
#define TALLY_CORE_LIMITS_CALLS_H

#include <stdint.h>

#include "sampling/limits/limits_thread.h"

/* `stack`: the program's stack reaches down to there, at least. */
struct limits_calls {
    int (*begin)(struct limit_scope *scope, const struct limit_wanted *wanted,
                 uintptr_t stack);
    int (*end)(struct limit_scope *scope, uint64_t *bytes_allocated);
    int (*on_threshold)(struct limit_scope *scope,
                        const struct limit_threshold *threshold);
    int (*interrupted)(uintptr_t stack);
    void (*mask)(int change);
    void (*set_global)(int64_t live_bytes);
    void (*use_sampling)(double sampling_rate);
    uint64_t (*budget)(const char *name, uint64_t otherwise);
};

extern __attribute__((visibility("hidden")))
const struct limits_calls limits_own_calls;
extern __attribute__((visibility("hidden")))
const struct limits_calls *limits_calls;

#endif /* TALLY_CORE_LIMITS_CALLS_H */
