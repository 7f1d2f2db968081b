/* SPDX-License-Identifier: Apache-2.0 */
/* __assert.h - Zephyr's assertions, as it has them by default: not evaluated */
#include <zephyr/sys/util.h>
