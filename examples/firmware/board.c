/* SPDX-License-Identifier: Apache-2.0 */
/* board.c - UART 0, SysTick, and the debugger of an LM3S6965 */
#include "board.h"

#include <stddef.h>

#include "tally/bare_metal.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define CLOCK_GATES_1     REGISTER(0x400fe104)
#define UART_DATA         REGISTER(0x4000c000)
#define UART_FLAGS        REGISTER(0x4000c018)
#define UART_CONTROL      REGISTER(0x4000c030)

enum {
    CLOCK_UART_0 = 1 << 0,
    UART_IS_FULL = 1 << 5,
    UART_SEND = 1 << 8 | 1 << 0,
    SEMIHOSTING_EXIT_EXTENDED = 0x20,
    SEMIHOSTING_APPLICATION_EXIT = 0x20026,
};

void board_start(void)
{
    CLOCK_GATES_1 |= CLOCK_UART_0;
    UART_CONTROL = UART_SEND;
    tally_clock_start(BOARD_HZ);
}

static void put(char byte)
{
    while ((UART_FLAGS & UART_IS_FULL) != 0)
        ;
    UART_DATA = (unsigned char)byte;
}

void tally_board_write(const void *bytes, size_t size)
{
    for (const char *byte = bytes; size > 0; size--)
        put(*byte++);
}

void board_print(const char *text)
{
    while (*text != '\0')
        put(*text++);
}

__attribute__((weak)) void board_on_tick(void)
{
}

void board_tick(void)
{
    tally_clock_tick();
    board_on_tick();
}

void board_exit(int status)
{
    const uint32_t block[] = { SEMIHOSTING_APPLICATION_EXIT, (uint32_t)status };
    register uint32_t operation __asm("r0") = SEMIHOSTING_EXIT_EXTENDED;
    register const uint32_t *argument __asm("r1") = block;

    __asm volatile("bkpt 0xab" : "+r"(operation) : "r"(argument) : "memory");
    for (;;)
        ;
}
