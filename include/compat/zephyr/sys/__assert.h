/* SPDX-License-Identifier: Apache-2.0 */
/* __assert.h - Zephyr's assertions, disabled as by default: never evaluated */
#include <zephyr/sys/util.h>
