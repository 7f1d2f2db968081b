/* SPDX-License-Identifier: Apache-2.0 */
/* tracing_format.h - the backend of Zephyr's tracing */
#pragma once

#include <stdint.h>

void tracing_format_raw_data(uint8_t *data, uint32_t length);
