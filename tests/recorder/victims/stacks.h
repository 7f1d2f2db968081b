/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stacks.h - shared code of victims that know the whole stacks of their calls
 *
 * Each call comes from block(), and the victim prints the count of each stack:
 *
 *     stack 200 block common first main
 */
#pragma once

#include <alloca.h>
#include <stdint.h>
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

enum { ROUNDS = 200 };

/* A function with its own frame at any optimization level. */
#if defined __clang__ || defined __cplusplus
#define FRAME __attribute__((noinline, unused))
#else
#define FRAME __attribute__((noipa, unused))
#endif

/* Keep the call before it from being last, which could become a jump. */
#define AND_BACK() __asm__ volatile("" ::: "memory")

#define STACK_POINTER()                                     \
    __extension__({                                         \
        char *pointer_;                                     \
        __asm__ volatile("mov %%rsp, %0" : "=r"(pointer_)); \
        pointer_;                                           \
    })

static FRAME void block(void)
{
    void *taken = victim_keep(malloc(24));

    REQUIRE(taken != NULL);
    free(taken);
    AND_BACK();
}

static inline void say_number(unsigned number)
{
    char digits[12];
    char *at = digits + sizeof digits - 1;

    *at = '\0';
    do {
        *--at = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    victim_say(at);
}

/* Print a count and its functions, innermost first. */
static inline void say_stack(unsigned count, const char *functions)
{
    victim_say("stack ");
    say_number(count);
    victim_say(" ");
    victim_say(functions);
    victim_say("\n");
}
