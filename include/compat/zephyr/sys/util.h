/* SPDX-License-Identifier: Apache-2.0 */
/* util.h - the few macros of Zephyr's that sources with slabs and heaps use */
#ifndef TALLY_COMPAT_ZEPHYR_SYS_UTIL_H
#define TALLY_COMPAT_ZEPHYR_SYS_UTIL_H

#define ARG_UNUSED(x)     ((void)(x))
#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#define KB(x) ((x) << 10)

#endif /* TALLY_COMPAT_ZEPHYR_SYS_UTIL_H */
