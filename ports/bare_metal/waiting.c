/* SPDX-License-Identifier: Apache-2.0 */
/* waiting.c - no waiting: there is one thread, and interrupts */
#include "ports/bare_metal/cortex_m.h"
#include "tally/port.h"
#include "tally/thread.h"

uint64_t tally_port_guard(uint32_t *guard)
{
    (void)guard;
    return interrupts_mask();
}

void tally_port_unguard(uint32_t *guard, uint64_t kept)
{
    (void)guard;
    interrupts_restore((uint32_t)kept);
}

bool tally_port_may_wait(void)
{
    return false;
}

void tally_port_wait(const uint32_t *word, uint32_t value, uint64_t until_ns)
{
    (void)word;
    (void)value;
    (void)until_ns;
}

void tally_port_wake(const uint32_t *word)
{
    (void)word;
}

struct tally_thread *tally_port_thread(void)
{
    static struct tally_thread thread;

    return &thread;
}

void tally_port_on_fork(void (*in_child)(void))
{
    (void)in_child;
}

#if __STDC_HOSTED__
/* For tests on hosts, which have one thread as well. */
void **tally_port_thread_word(void)
{
    static void *word;

    return &word;
}

int *tally_port_errno(void)
{
    static int number;

    return &number;
}

void tally_port_at_thread_end(void (*leave)(void))
{
    (void)leave;
}

int64_t tally_port_heap_held(void)
{
    return 0;
}

int64_t tally_port_heap_reserved(void)
{
    return 0;
}
#endif
