/* SPDX-License-Identifier: Apache-2.0 */
/* registers.h - the registers of the board that are used, and their bits */
#ifndef REGISTERS_H
#define REGISTERS_H

#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))

/* CMSDK's UARTs. */
#define UART_0                  0x40004000u
#define UART_1                  0x40005000u
#define UART_DATA(uart)         REGISTER((uart) + 0x00)
#define UART_STATE(uart)        REGISTER((uart) + 0x04)
#define UART_CONTROL(uart)      REGISTER((uart) + 0x08)
#define UART_INTERRUPTS(uart)   REGISTER((uart) + 0x0c)
#define UART_BAUD_DIVIDER(uart) REGISTER((uart) + 0x10)

enum {
    BAUD = 115200,
    UART_IS_FULL = 1 << 0, /* of the state: a byte waits to be sent */
    UART_SENDS = 1 << 0,   /* of the control */
    UART_TELLS_SENT = 1 << 2,
    UART_HAS_SENT = 1 << 0, /* of the interrupts; written, it is cleared */
    INTERRUPT_UART_1_SENT = 3,
};

#define INTERRUPTS_ENABLED REGISTER(0xe000e100) /* written: the set bits too */

#endif /* REGISTERS_H */
