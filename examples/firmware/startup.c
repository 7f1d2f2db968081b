/* SPDX-License-Identifier: Apache-2.0 */
/* startup.c - from reset to main */
#include <stdint.h>

#include "board.h"

enum { STATUS_FAULT = 99 };

extern uint32_t data_stored[], data_start[], data_end[];
extern uint32_t bss_start[], bss_end[], stack_end[];

void board_tick(void);

_Noreturn static void fault(void)
{
    board_print("fault\n");
    board_exit(STATUS_FAULT);
}

_Noreturn void reset(void)
{
    const uint32_t *from = data_stored;

    for (uint32_t *to = data_start; to < data_end; to++)
        *to = *from++;
    for (uint32_t *to = bss_start; to < bss_end; to++)
        *to = 0;
    board_start();
    board_exit(main());
}

typedef void (*handler_fn)(void);

__attribute__((section(".vectors"), used)) static const handler_fn vectors[] = {
    (handler_fn)(void *)stack_end,
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
};
