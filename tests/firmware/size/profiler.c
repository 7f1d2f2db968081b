/* SPDX-License-Identifier: Apache-2.0 */
/* profiler.c - rounds from the main loop, in CTF */
#include "board.h"
#include "tally/stack.h"
#include "tally/zpl.h"

int main(void)
{
    static unsigned char packet[256];
    static struct tally_stack program;

    tally_stack_enter(&program, "program", stack, 1024);
    (void)tally_zpl_open(&(struct tally_zpl_stream){
        .sink = board_trace_sink(),
        .buffer = packet,
        .capacity = sizeof packet,
    });
    zpl_memory_profiling_set(true);
    for (;;)
        (void)tally_zpl_poll();
}
