/* SPDX-License-Identifier: Apache-2.0 */
/*
 * atomics.c - functions that compilers call on processors without atomics
 *
 * Cortex-M0, M0+ and M1 (ARMv6-M) and RISC-V without the extension A only load
 * and store words atomically. Masking interrupts makes other operations atomic.
 * The names are gcc's; weak, since a program may define its own.
 */
#include "ports/bare_metal/machine.h"

#if defined __ARM_ARCH_6M__ || (defined __riscv && !defined __riscv_atomic)

#include <stdbool.h>

bool compare_exchange(volatile uint32_t *word, uint32_t *expected,
                      uint32_t wanted) __asm("__atomic_compare_exchange_4");

#define IS_WEAK __attribute__((weak))

IS_WEAK bool compare_exchange(volatile uint32_t *word, uint32_t *expected,
                              uint32_t wanted)
{
    uint32_t key = interrupts_mask();
    uint32_t held = *word;
    bool is_equal = held == *expected;

    if (is_equal)
        *word = wanted;
    interrupts_restore(key);
    *expected = held;
    return is_equal;
}

#define FETCH(name, changed)                                       \
    uint32_t name(volatile uint32_t *,                             \
                  uint32_t) __asm("__atomic_" #name "_4");         \
                                                                   \
    IS_WEAK uint32_t name(volatile uint32_t *word, uint32_t value) \
    {                                                              \
        uint32_t key = interrupts_mask();                          \
        uint32_t held = *word;                                     \
                                                                   \
        *word = changed;                                           \
        interrupts_restore(key);                                   \
        return held;                                               \
    }

FETCH(exchange, value)
FETCH(fetch_add, held + value)
FETCH(fetch_sub, held - value)
FETCH(fetch_or, held | value)

#else
typedef int atomics_are_the_processors;
#endif
