/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeout.h - Zephyr's timeouts
 *
 *     k_mem_slab_alloc(&slab, &block, K_NO_WAIT);   // not at all
 *     k_mem_slab_alloc(&slab, &block, K_MSEC(100)); // 100 milliseconds
 *     k_mem_slab_alloc(&slab, &block, K_FOREVER);   // as long as it takes
 *
 * Timeouts have a resolution of one nanosecond; no wait is shorter than its
 * timeout. Negative values mean zero. Values are capped at 292 years (63 bits
 * of nanoseconds). In C, macros with constant arguments can initialise static
 * objects, as a GNU extension: gcc -pedantic warns about it.
 */
#ifndef TALLY_TIMEOUT_H
#define TALLY_TIMEOUT_H

#include <stdint.h>

#include "tally/config.h"
#include "tally/private/not_in_zephyr.h"
#include "tally/private/timeout.h"

TALLY_BEGIN_DECLS

#define K_NO_WAIT    TALLY_TIMEOUT_OF(0)
#define K_FOREVER    TALLY_TIMEOUT_OF(-1)
#define K_NSEC(t)    TALLY_TIMEOUT(t, 1)
#define K_USEC(t)    TALLY_TIMEOUT(t, 1000)
#define K_MSEC(t)    TALLY_TIMEOUT(t, 1000000)
#define K_SECONDS(t) TALLY_TIMEOUT(t, INT64_C(1000000000))
#define K_MINUTES(m) TALLY_TIMEOUT(m, INT64_C(60000000000))
#define K_HOURS(h)   TALLY_TIMEOUT(h, INT64_C(3600000000000))

/* Timeout in ticks of Zephyr's clock. */
#ifndef CONFIG_SYS_CLOCK_TICKS_PER_SEC
#define CONFIG_SYS_CLOCK_TICKS_PER_SEC 10000
#endif
#define K_TICKS(t)                                                           \
    TALLY_TIMEOUT(t, (INT64_C(999999999) + CONFIG_SYS_CLOCK_TICKS_PER_SEC) / \
                         CONFIG_SYS_CLOCK_TICKS_PER_SEC)

#if TALLY_HAS(OS)
/* Sleep. Return 0. */
int32_t k_sleep(k_timeout_t timeout);

static inline int32_t k_msleep(int32_t ms)
{
    return k_sleep(K_MSEC(ms));
}
#endif

/* Compare two timeouts. */
#define K_TIMEOUT_EQ(a, b) ((a).ns == (b).ns)

TALLY_END_DECLS

#endif /* TALLY_TIMEOUT_H */
