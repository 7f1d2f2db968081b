/* SPDX-License-Identifier: Apache-2.0 */
/* libc.c - a program of newlib or picolibc with docs/firmware.md's adapters */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "board.h"
#include "suite_board.h"
#include "tally/mem_trace.h"

static void *volatile kept;

__attribute__((noinline)) void keep_message(void)
{
    kept = malloc(100);
}

__attribute__((noinline)) void use_and_drop(void)
{
    void *volatile block = calloc(5, 10);

    block = realloc(block, 70);
    free(block);
}

int main(void)
{
    char line[80];
    struct mallinfo all;

    mbed_mem_trace_set_callback(mbed_mem_trace_default_callback);
    keep_message();
    use_and_drop();
    mbed_mem_trace_set_callback(NULL);
    all = mallinfo();
    snprintf(line, sizeof line, "mallinfo %u %u\n", (unsigned)all.uordblks,
             (unsigned)all.fordblks);
    suite_board_print(line);
    board_send_regions();
    return board_status();
}
