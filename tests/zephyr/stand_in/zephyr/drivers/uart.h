/* SPDX-License-Identifier: Apache-2.0 */
/* uart.h - Zephyr's serial lines */
#pragma once

#include <zephyr/device.h>

void uart_poll_out(const struct device *device, unsigned char byte);
