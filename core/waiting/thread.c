/* SPDX-License-Identifier: Apache-2.0 */
/* thread.c - how urgent a thread is */
#include "tally/thread.h"

#include "tally/port.h"

struct tally_thread *tally_thread_current(void)
{
    return tally_port_thread();
}

void tally_thread_priority_change(struct tally_thread *thread, int priority)
{
    __atomic_store_n(&thread->priority, priority, __ATOMIC_RELAXED);
}

void tally_thread_priority_set(int priority)
{
    tally_thread_priority_change(tally_port_thread(), priority);
}

int tally_thread_priority_get(void)
{
    return __atomic_load_n(&tally_port_thread()->priority, __ATOMIC_RELAXED);
}
