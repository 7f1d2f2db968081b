/* SPDX-License-Identifier: Apache-2.0 */
/*
 * startup.c - from reset to main
 *
 * The processor starts on the "main stack" of its manual, and handlers always
 * run there; the program runs on the "process stack".
 */
#include <stddef.h>
#include <stdint.h>

#include "board.h"

enum { STATUS_FAULT = 99 };

extern uint32_t data_stored[], data_start[], data_end[];
extern uint32_t bss_start[], bss_end[];
extern void (*constructors_start[])(void), (*constructors_end[])(void);

int main(void);
void board_tick(void);
void trace_uart_has_sent(void);

_Noreturn static void fault(void)
{
    board_print("fault\n");
    board_exit(STATUS_FAULT);
}

_Noreturn static __attribute__((used)) void begin(void)
{
    const uint32_t *from = data_stored;

    for (uint32_t *to = data_start; to < data_end; to++)
        *to = *from++;
    for (uint32_t *to = bss_start; to < bss_end; to++)
        *to = 0;
    board_start();
    for (size_t i = 0; constructors_start + i < constructors_end; i++)
        constructors_start[i]();
    board_exit(main());
}

__attribute__((naked)) void reset(void)
{
    __asm volatile("ldr r0, =stack_end\n\t"
                   "msr psp, r0\n\t"
                   "movs r0, #2\n\t"
                   "msr control, r0\n\t"
                   "isb\n\t"
                   "bl begin\n\t"
                   ".ltorg");
}

typedef void (*handler_fn)(void);

__attribute__((section(".vectors"), used)) static const handler_fn vectors[] = {
    (handler_fn)(void *)handler_stack_end,
    reset,
    fault, /* not maskable */
    fault, /* hard */
    fault, /* memory */
    fault, /* bus */
    fault, /* usage */
    0,
    0,
    0,
    0,
    fault, /* supervisor call */
    fault, /* debugger */
    0,
    fault, /* pending supervisor call */
    board_tick,
    fault, /* UART 0 has received */
    fault, /* ... has sent */
    fault, /* UART 1 has received */
    trace_uart_has_sent,
};
