/* SPDX-License-Identifier: Apache-2.0 */
/* suite_board.c - from reset to main, and QEMU's console */
#include "suite_board.h"

#include <stddef.h>
#include <stdint.h>

#include "ports/bare_metal/machine.h"

enum {
    WRITE_TEXT = 0x04,
    EXIT_EXTENDED = 0x20,
    APPLICATION_EXIT = 0x20026,
    STATUS_FAULT = 99,
};

extern uint32_t bss_start[], bss_end[];

void suite_board_print(const char *text)
{
    (void)call_debugger(WRITE_TEXT, text);
}

void suite_board_exit(int status)
{
    const uint32_t block[] = { APPLICATION_EXIT, (uint32_t)status };

    (void)call_debugger(EXIT_EXTENDED, block);
    for (;;)
        ;
}

void suite_board_give_up(const char *why)
{
    suite_board_print(why);
    suite_board_print("\n");
    suite_board_exit(STATUS_FAULT);
}

/* newlib's heap is not needed here. */
__attribute__((weak)) void *_sbrk(ptrdiff_t more)
{
    (void)more;
    suite_board_give_up("there is no heap for newlib");
}

void suite_board_fault(void)
{
    suite_board_give_up("fault");
}

/* QEMU has loaded everything but zeroes. */
void suite_board_start(void)
{
    for (uint32_t *to = bss_start; to < bss_end; to++)
        *to = 0;
    suite_board_exit(main());
}
