/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memprof_calls.h - table of tally/memprof.h's functions
 *
 * A process may contain several copies of this library, and the recorder, but
 * has one sampler: the recorder's if it is loaded. The public functions call
 * through a table; every other copy uses the recorder's.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/base/hidden.h"
#include "tally/memprof.h"

/* Type, name, public name, parameters, arguments. */
#define MEMPROF_CALL_LIST(X)                                                   \
    X(int, start, memprof_start,                                               \
      (double rate, int callstack_size, const struct memprof_tracker *tracker, \
       struct memprof **profile),                                              \
      (rate, callstack_size, tracker, profile))                                \
    X(int, stop, memprof_stop, (void), ())                                     \
    X(int, discard, memprof_discard, (struct memprof * profile), (profile))    \
    X(int, is_sampling, memprof_is_sampling, (void), ())                       \
    X(double, effective_rate, memprof_effective_rate,                          \
      (const struct memprof *profile), (profile))                              \
    X(void, advance, memprof_advance, (void), ())                              \
    X(int, domain_new, memprof_domain_new, (void), ())                         \
    X(uint64_t, custom_alloc, memprof_custom_alloc, (size_t bytes), (bytes))   \
    X(void, custom_free, memprof_custom_free, (uint64_t token), (token))       \
    X(void, marshal_begin, memprof_marshal_begin, (void), ())                  \
    X(void, marshal_end, memprof_marshal_end, (void), ())                      \
    X(void, marshal_object, memprof_marshal_object,                            \
      (void *object, size_t bytes), (object, bytes))                           \
    X(void, nursery, tally_memprof_nursery,                                    \
      (size_t epoch_words, size_t minor_words), (epoch_words, minor_words))    \
    X(void, seed, tally_memprof_seed, (uint64_t seed), (seed))

#define MEMPROF_CALL(type, name, public, parameters, arguments) \
    type(*name) parameters;

struct memprof_calls {
    MEMPROF_CALL_LIST(MEMPROF_CALL)
};

/* Functions of this copy: memprof_local_start() and so on. */
#define MEMPROF_LOCAL(type, name, public, parameters, arguments) \
    HIDDEN type memprof_local_##name parameters;

MEMPROF_CALL_LIST(MEMPROF_LOCAL)

#undef MEMPROF_CALL
#undef MEMPROF_LOCAL

extern HIDDEN const struct memprof_calls memprof_local_calls;
extern HIDDEN const struct memprof_calls *memprof_calls;
