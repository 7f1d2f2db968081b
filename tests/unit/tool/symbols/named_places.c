/* SPDX-License-Identifier: Apache-2.0 */
/*
 * named_places.c - a program that prints the return addresses of its calls
 *
 * Prints one line for each call of spot(): its return address in the file, and
 * the function and line of the call.
 */
#include <stdio.h>
#include <stdlib.h>

extern const char __ehdr_start[];

/* Keeps the call before it from becoming a jump. */
#define STAY() __asm__ volatile("")

__attribute__((noinline)) static void spot(const char *function, int line)
{
    const char *returns_to = __builtin_return_address(0);

    printf("%lx %s %d\n", (unsigned long)(returns_to - __ehdr_start), function,
           line);
}

__attribute__((noinline)) static void in_static(void)
{
    spot("in_static", __LINE__);
    STAY();
}

__attribute__((always_inline)) static inline void in_inline(void)
{
    spot("in_inline", __LINE__);
    STAY();
}

/* Its caller is inlined, too, and is called from another line of main(). */
__attribute__((always_inline)) static inline void around_inline(void)
{
    in_inline(); /* from around_inline */
    STAY();
}

__attribute__((noinline)) void in_global(void);
void in_global(void)
{
    spot("in_global", __LINE__);
    STAY();
}

__attribute__((noinline, noreturn)) static void leave(const char *function,
                                                      int line)
{
    const char *returns_to = __builtin_return_address(0);

    printf("%lx %s %d\n", (unsigned long)(returns_to - __ehdr_start), function,
           line);
    exit(0);
}

/* Ends in a call, whose return address is in another function. */
__attribute__((noinline, noreturn)) void at_the_end(void);
void at_the_end(void)
{
    leave("at_the_end", __LINE__);
}

__attribute__((noinline)) void after_the_end(void);
void after_the_end(void)
{
    STAY();
}

int main(void)
{
    in_static();
    around_inline(); /* from main */
    in_global();
    after_the_end();
    at_the_end();
}
