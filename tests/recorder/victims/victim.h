/* SPDX-License-Identifier: Apache-2.0 */
/*
 * victim.h - shared code of victims: print little, and never through stdio
 *
 * stdio allocates buffers, and a victim's counts are exact. A victim that finds
 * itself wrong ends with status 99, recorded or not.
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

/* Keep the compiler from dropping or merging an allocation. */
static inline void *victim_keep(void *block)
{
    __asm__ volatile("" : "+r"(block) : : "memory");
    return block;
}

#ifdef __cplusplus
}
#endif
