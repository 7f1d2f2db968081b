/* SPDX-License-Identifier: Apache-2.0 */
/* util.h - Zephyr's utility macros, as used with slabs and heaps */
#ifndef TALLY_COMPAT_ZEPHYR_SYS_UTIL_H
#define TALLY_COMPAT_ZEPHYR_SYS_UTIL_H

#include <stddef.h>
#include <stdint.h>

#include "tally/mem_slab.h"

#ifdef __cplusplus
#pragma GCC system_header /* C++98 has no variadic macros */
#endif

#define ARG_UNUSED(x)     ((void)(x))
#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define STRINGIFY(x)      TALLY_QUOTED(x)
#define TALLY_QUOTED(x)   #x

#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#define CLAMP(value, low, high)    MIN(MAX(value, low), high)
#define IN_RANGE(value, low, high) ((value) >= (low) && (value) <= (high))

#define KB(x) ((x) << 10)
#define MB(x) (KB(x) << 10)
#define GB(x) (MB(x) << 10)

/* `align` may be any number. WB: round to words of pointer size. */
#define ROUND_DOWN(x, align) \
    ((unsigned long)(x) / (unsigned long)(align) * (unsigned long)(align))
#define ROUND_UP(x, align) \
    ROUND_DOWN((unsigned long)(x) + (unsigned long)(align)-1, align)
#define WB_UP(x)           ROUND_UP(x, sizeof(void *))
#define WB_DN(x)           ROUND_DOWN(x, sizeof(void *))
#define DIV_ROUND_UP(n, d) (((n) + (d)-1) / (d))

#define BIT(n)             (1UL << (n))
#define BIT64(n)           ((uint64_t)1 << (n))
#define BIT_MASK(n)        (BIT(n) - 1)
#define IS_POWER_OF_TWO(x) ((x) != 0 && ((x) & ((x)-1)) == 0)

#define POINTER_TO_UINT(x)     ((uintptr_t)(x))
#define POINTER_TO_INT(x)      ((intptr_t)(x))
#define UINT_TO_POINTER(x)     ((void *)(uintptr_t)(x))
#define INT_TO_POINTER(x)      ((void *)(intptr_t)(x))
#define IS_ALIGNED(ptr, align) ((uintptr_t)(ptr) % (align) == 0)
#define CONTAINER_OF(ptr, type, field) \
    ((type *)((uintptr_t)(ptr)-offsetof(type, field)))

/* BUILD_ASSERT(condition) or BUILD_ASSERT(condition, "message"). */
#define BUILD_ASSERT(...) TALLY_BUILD_ASSERT(__VA_ARGS__, "", "")
#define TALLY_BUILD_ASSERT(condition, sentence, ...) \
    TALLY_SLAB_CHECK(condition, "" sentence)

/* Expand to 1 if the option is a macro with the value 1, else to 0. Works in
   #if. */
#define IS_ENABLED(option)           TALLY_IS_ENABLED(option)
#define TALLY_IS_ENABLED(value)      TALLY_IS_ONE(TALLY_BEFORE_##value)
#define TALLY_BEFORE_1               0,
#define TALLY_IS_ONE(before)         TALLY_SECOND(before 1, 0, 0)
#define TALLY_SECOND(first, it, ...) it

/* Assertions are off, as with CONFIG_ASSERT=n: the condition is not
   evaluated. */
#define __ASSERT(condition, ...)   ((void)sizeof(!(condition)))
#define __ASSERT_NO_MSG(condition) __ASSERT(condition, "")

#endif /* TALLY_COMPAT_ZEPHYR_SYS_UTIL_H */
