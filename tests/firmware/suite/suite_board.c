/* SPDX-License-Identifier: Apache-2.0 */
/* suite_board.c - from reset to main on QEMU's mps2-an385, and its console */
#include "suite_board.h"

#include <stddef.h>
#include <stdint.h>

enum {
    SEMIHOSTING_WRITE_TEXT = 0x04,
    SEMIHOSTING_EXIT_EXTENDED = 0x20,
    SEMIHOSTING_APPLICATION_EXIT = 0x20026,
    STATUS_FAULT = 99,
};

extern uint32_t bss_start[], bss_end[], stack_end[];

static void call_host(uint32_t operation, const void *argument)
{
    register uint32_t r0 __asm("r0") = operation;
    register const void *r1 __asm("r1") = argument;

    __asm volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

void suite_board_print(const char *text)
{
    call_host(SEMIHOSTING_WRITE_TEXT, text);
}

void suite_board_exit(int status)
{
    const uint32_t block[] = { SEMIHOSTING_APPLICATION_EXIT, (uint32_t)status };

    call_host(SEMIHOSTING_EXIT_EXTENDED, block);
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
void *_sbrk(ptrdiff_t more)
{
    (void)more;
    suite_board_give_up("there is no heap for newlib");
}

_Noreturn static void fault(void)
{
    suite_board_give_up("fault");
}

/* QEMU has loaded everything but zeroes. */
_Noreturn void reset(void)
{
    for (uint32_t *to = bss_start; to < bss_end; to++)
        *to = 0;
    suite_board_exit(main());
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
};
