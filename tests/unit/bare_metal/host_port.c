/* SPDX-License-Identifier: Apache-2.0 */
/* host_port.c - hosts' functions of the port, for the bare-metal port */
#include "tally/port.h"

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
