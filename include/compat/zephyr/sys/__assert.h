/* SPDX-License-Identifier: Apache-2.0 */
/* __assert.h - Zephyr's assertions, as it has them by default: not evaluated */
#ifndef TALLY_COMPAT_ZEPHYR_SYS_ASSERT_H
#define TALLY_COMPAT_ZEPHYR_SYS_ASSERT_H

#include <zephyr/sys/util.h>

#endif /* TALLY_COMPAT_ZEPHYR_SYS_ASSERT_H */
