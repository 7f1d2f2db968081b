/* SPDX-License-Identifier: Apache-2.0 */
/* printk.h - Zephyr's console */
#pragma once

void printk(const char *format, ...) __attribute__((format(printf, 1, 2)));
