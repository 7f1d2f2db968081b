/* SPDX-License-Identifier: Apache-2.0 */
/* cortex_m.c - the vectors of a Cortex-M */
#include <stdint.h>

#include "suite_board.h"

extern uint32_t stack_end[];

typedef void (*handler_fn)(void);

__attribute__((section(".vectors"), used)) static const handler_fn vectors[] = {
    (handler_fn)(void *)stack_end,
    suite_board_start,
    suite_board_fault, /* not maskable */
    suite_board_fault, /* hard */
    suite_board_fault, /* memory */
    suite_board_fault, /* bus */
    suite_board_fault, /* usage */
};
