/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_uart.c - send on UART 1 without waiting
 *
 * Packets lie in a ring; each byte sent raises an interrupt, which sends the
 * next one. taken and sent only grow, and wrap with their type.
 */
#include <stdbool.h>
#include <stddef.h>

#include "board.h"
#include "registers.h"
#include "tally/port.h"

enum { RING_BYTES = 1024 };

static unsigned char ring[RING_BYTES];
static volatile uint32_t taken, sent;
static bool is_sending;

/* Called with interrupts masked, or from the handler. */
static void send_next(void)
{
    is_sending = sent != taken;
    if (is_sending)
        UART_DATA(UART_1) = ring[sent++ % RING_BYTES];
}

void trace_uart_has_sent(void)
{
    UART_INTERRUPTS(UART_1) = UART_HAS_SENT;
    send_next();
}

static bool take(void *context, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    uint32_t key = tally_port_lock();
    bool fits = size <= RING_BYTES - (taken - sent);

    (void)context;
    if (fits) {
        while (size-- > 0)
            ring[taken++ % RING_BYTES] = *byte++;
        if (!is_sending)
            send_next();
    }
    tally_port_unlock(key);
    return fits;
}

struct tally_zpl_sink board_trace_sink(void)
{
    UART_BAUD_DIVIDER(UART_1) = BOARD_HZ / BAUD;
    UART_CONTROL(UART_1) = UART_SENDS | UART_TELLS_SENT;
    INTERRUPTS_ENABLED = 1u << INTERRUPT_UART_1_SENT;
    return (struct tally_zpl_sink){ take, NULL };
}

void board_trace_finish(void)
{
    while (sent != taken || (UART_STATE(UART_1) & UART_IS_FULL) != 0)
        ;
}
