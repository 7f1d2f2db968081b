/* SPDX-License-Identifier: Apache-2.0 */
/*
 * victim.h - what victims share: they say little, and never through stdio
 *
 * stdio allocates buffers, and a victim's counts are exact. A victim whose
 * expectation of the program itself fails ends with status 99, recorded or not.
 */
#pragma once

#include <string.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VICTIM_FAILED 99

#define REQUIRE(condition)                              \
    do {                                                \
        if (!(condition))                               \
            victim_fail(__FILE__ ": " #condition "\n"); \
    } while (0)

static inline void victim_say(const char *text)
{
    if (write(STDOUT_FILENO, text, strlen(text)) < 0)
        _exit(VICTIM_FAILED);
}

static inline void victim_fail(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        _exit(VICTIM_FAILED);
    _exit(VICTIM_FAILED);
}

/* So that no compiler drops or merges an allocation. */
static inline void *victim_keep(void *block)
{
    __asm__ volatile("" : "+r"(block) : : "memory");
    return block;
}

#ifdef __cplusplus
}
#endif
