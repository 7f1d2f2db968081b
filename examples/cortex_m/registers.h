/* SPDX-License-Identifier: Apache-2.0 */
/* registers.h - registers of the board and their bits */
#ifndef REGISTERS_H
#define REGISTERS_H

#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))

/* UARTs of CMSDK. */
#define UART_0                  0x40004000u
#define UART_1                  0x40005000u
#define UART_DATA(uart)         REGISTER((uart) + 0x00)
#define UART_STATE(uart)        REGISTER((uart) + 0x04)
#define UART_CONTROL(uart)      REGISTER((uart) + 0x08)
#define UART_INTERRUPTS(uart)   REGISTER((uart) + 0x0c)
#define UART_BAUD_DIVIDER(uart) REGISTER((uart) + 0x10)

enum {
    BAUD = 115200,
    UART_IS_FULL = 1 << 0, /* state bit: a byte waits to be sent */
    UART_SENDS = 1 << 0,   /* control bit */
    UART_TELLS_SENT = 1 << 2,
    UART_HAS_SENT = 1 << 0, /* interrupt bit; writing it clears it */
    INTERRUPT_UART_1_SENT = 3,
};

#define INTERRUPTS_ENABLED REGISTER(0xe000e100) /* writing 0 bits: no change */

#endif /* REGISTERS_H */
