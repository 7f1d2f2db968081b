/* SPDX-License-Identifier: Apache-2.0 */
/* waiting.c - threads that sleep, by futexes */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <stddef.h>
#include <time.h>

#include "ports/posix/raw_calls.h"
#include "tally/port.h"
#include "tally/thread.h"

enum { NS_PER_SECOND = 1000000000 };

static void futex_wait(const uint32_t *word, uint32_t value,
                       const struct timespec *until)
{
    raw_call(SYS_futex, RAW_ARGUMENT(word),
             FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, (long)value,
             RAW_ARGUMENT(until), 0, (long)FUTEX_BITSET_MATCH_ANY);
}

static void futex_wake(const uint32_t *word)
{
    raw_call(SYS_futex, RAW_ARGUMENT(word), FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1,
             0, 0, 0);
}

bool tally_port_may_wait(void)
{
    return true;
}

void tally_port_wait(const uint32_t *word, uint32_t value, uint64_t until_ns)
{
    struct timespec until = {
        .tv_sec = (time_t)(until_ns / NS_PER_SECOND),
        .tv_nsec = (long)(until_ns % NS_PER_SECOND),
    };

    futex_wait(word, value, until_ns == TALLY_PORT_FOREVER ? NULL : &until);
}

void tally_port_wake(const uint32_t *word)
{
    futex_wake(word);
}

struct tally_thread *tally_port_thread(void)
{
    /* Aligned, so that it takes no more room than it has bytes. */
    static _Thread_local struct tally_thread thread
        __attribute__((tls_model("initial-exec"), aligned(4)));

    return &thread;
}
