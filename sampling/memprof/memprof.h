/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memprof.h - tally/memprof.h, in a form that may be shared
 *
 * A process may have several copies of this library, and the recorder, but
 * there is one sampler: the recorder's if it is there. The public functions go
 * through a table; every other copy takes the recorder's.
 */
#ifndef TALLY_CORE_MEMPROF_H
#define TALLY_CORE_MEMPROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tally/memprof.h"

struct memprof_calls {
    int (*start)(double sampling_rate, int callstack_size,
                 const struct memprof_tracker *tracker,
                 struct memprof **profile);
    int (*stop)(void);
    int (*discard)(struct memprof *profile);
    int (*is_sampling)(void);
    double (*effective_rate)(const struct memprof *profile);
    void (*advance)(void);
    int (*domain_new)(void);
    uint64_t (*custom_alloc)(size_t bytes);
    void (*custom_free)(uint64_t token);
    void (*marshal_begin)(void);
    void (*marshal_end)(void);
    void (*marshal_object)(void *object, size_t bytes);
    void (*nursery)(size_t epoch_words, size_t minor_words);
    void (*seed)(uint64_t seed);
};

extern __attribute__((visibility("hidden")))
const struct memprof_calls memprof_local_calls;
extern __attribute__((visibility("hidden")))
const struct memprof_calls *memprof_calls;

#endif /* TALLY_CORE_MEMPROF_H */
