/* SPDX-License-Identifier: Apache-2.0 */
/* printk.h - Zephyr's console; standard output on hosts */
#ifndef TALLY_COMPAT_ZEPHYR_SYS_PRINTK_H
#define TALLY_COMPAT_ZEPHYR_SYS_PRINTK_H

#include "tally/config.h"

#if TALLY_HAS(LIBC)
#include <stdio.h>

#ifdef __cplusplus
#pragma GCC system_header /* C++98 has no variadic macros */
#endif
#define printk(...) ((void)printf(__VA_ARGS__))
#endif

#endif /* TALLY_COMPAT_ZEPHYR_SYS_PRINTK_H */
