/* SPDX-License-Identifier: Apache-2.0 */
/* board.c - UART 0, SysTick and debugger of an MPS2 with image AN385 */
#include "board.h"

#include <stddef.h>

#include "registers.h"
#include "tally/bare_metal.h"

enum {
    SEMIHOSTING_EXIT_EXTENDED = 0x20,
    SEMIHOSTING_APPLICATION_EXIT = 0x20026,
};

void board_start(void)
{
    UART_BAUD_DIVIDER(UART_0) = BOARD_HZ / BAUD;
    UART_CONTROL(UART_0) = UART_SENDS;
    tally_clock_start(BOARD_HZ);
}

static void put(char byte)
{
    while ((UART_STATE(UART_0) & UART_IS_FULL) != 0)
        ;
    UART_DATA(UART_0) = (unsigned char)byte;
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

void board_print_number(uint32_t number)
{
    char digits[11];
    char *digit = digits + sizeof digits - 1;

    *digit = '\0';
    do {
        *--digit = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    board_print(digit);
}

void board_print_address(const void *address)
{
    uint32_t number = (uint32_t)(uintptr_t)address;

    board_print("0x");
    for (unsigned shift = 32; shift > 0;) {
        shift -= 4;
        put("0123456789abcdef"[number >> shift & 15]);
    }
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
