/* SPDX-License-Identifier: Apache-2.0 */
/* board.h - what programs on this board may use */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

enum { BOARD_HZ = 12000000 };

void board_start(void);

/* A text with its end, on UART 0. */
void board_print(const char *text);

/* Let the debugger, or QEMU, end with this status; without one, halt. */
_Noreturn void board_exit(int status);

/* Called every 10 ms with interrupts as in any handler; the program's. */
void board_on_tick(void);

int main(void);

#endif /* BOARD_H */
