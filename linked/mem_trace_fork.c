/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem_trace_fork.c - the lock of tally/mem_trace.h in the child of a fork
 *
 * A thread that held it in the parent does not exist, unless it is the one that
 * forked. Nor does a child count what it allocates. The recorder's own words lie
 * where a child finds zeros.
 */
#define _GNU_SOURCE
#include <pthread.h>

#include "core/observers/mem_trace.h"
#include "sampling/countdown/countdown.h"
#include "tally/port.h"

static void in_child(void)
{
    uint32_t is_held = tally_port_thread()->trace_locks != 0;

    __atomic_store_n(mem_trace_own.lock, is_held, __ATOMIC_RELAXED);
    *countdown_carrier.words = (struct countdown_words){ 0 };
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, in_child);
}
