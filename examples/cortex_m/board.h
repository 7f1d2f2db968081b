/* SPDX-License-Identifier: Apache-2.0 */
/* board.h - what programs on this board may use */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

#include "tally/zpl_sink.h"

enum { BOARD_HZ = 25000000 };

void board_start(void);

/* A text with its end, and numbers, on UART 0; they wait until it took them. */
void board_print(const char *text);
void board_print_number(uint32_t number);
void board_print_address(const void *address); /* 0x and eight digits */

/*
 * Packets on UART 1. They wait in a buffer, from which interrupts send; one
 * that does not fit is refused. finish() waits until all are sent.
 */
struct tally_zpl_sink board_trace_sink(void);
void board_trace_finish(void);

/* Let the debugger, or QEMU, end with this status; without one, halt. */
_Noreturn void board_exit(int status);

/* Called every 10 ms with interrupts as in any handler; the program's. */
void board_on_tick(void);

/* From the linker script: main's stack, and that of all handlers. */
extern unsigned char stack[], stack_end[];
extern unsigned char handler_stack[], handler_stack_end[];

int main(void);

#endif /* BOARD_H */
