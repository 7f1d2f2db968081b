/* SPDX-License-Identifier: Apache-2.0 */
/* timeout.h - part of tally/timeout.h: the type and its constructors */
#ifndef TALLY_PRIVATE_TIMEOUT_H
#define TALLY_PRIVATE_TIMEOUT_H

#include <stdint.h>

#include "tally/private/linkage.h"

TALLY_BEGIN_DECLS

/* Nanoseconds; negative: forever. The field is private. */
typedef struct {
    int64_t ns;
} k_timeout_t;

#define TALLY_TIMEOUT_LIMIT(count, unit)        \
    ((count) <= 0                   ? 0         \
     : (count) > INT64_MAX / (unit) ? INT64_MAX \
                                    : (int64_t)(count) * (unit))

static inline int64_t tally_timeout_ns(int64_t count, int64_t unit)
{
    return TALLY_TIMEOUT_LIMIT(count, unit);
}

#ifdef __cplusplus
static inline k_timeout_t tally_timeout(int64_t ns)
{
    k_timeout_t timeout = { ns };

    return timeout;
}
#define TALLY_TIMEOUT(count, unit) \
    (tally_timeout(tally_timeout_ns((int64_t)(count), (unit))))
#define TALLY_TIMEOUT_OF(ns) (tally_timeout(ns))
#else
#define TALLY_TIMEOUT(count, unit)                                             \
    (__extension__(k_timeout_t){ __builtin_choose_expr(                        \
        __builtin_constant_p(count),                                           \
        TALLY_TIMEOUT_LIMIT(__builtin_choose_expr(__builtin_constant_p(count), \
                                                  (int64_t)(count),            \
                                                  (int64_t)0),                 \
                            (int64_t)(unit)),                                  \
        tally_timeout_ns((int64_t)(count), (unit))) })
#define TALLY_TIMEOUT_OF(ns) (__extension__(k_timeout_t){ ns })
#endif

TALLY_END_DECLS

#endif /* TALLY_PRIVATE_TIMEOUT_H */
