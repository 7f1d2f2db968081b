/* SPDX-License-Identifier: Apache-2.0 */
/* tick_scale.c - see tick_scale.h */
#include "tool/session/events/tick_scale.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tool/session/clock.h"

#if defined __x86_64__
#include <cpuid.h>
#endif

enum { PAIR_ATTEMPTS = 5 };

/* The kernel takes its name off the list when it stops trusting it. */
static bool is_trusted_by_kernel(void)
{
    char names[256] = "";
    FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/"
                       "available_clocksource",
                       "re");

    if (file == NULL)
        return false;
    if (fgets(names, sizeof names, file) == NULL)
        names[0] = '\0';
    fclose(file);
    return strncmp(names, "tsc ", 4) == 0 || strstr(names, " tsc ") != NULL ||
           strstr(names, "arch_sys_counter") != NULL;
}

#if defined __x86_64__
/* Whether it goes on at one rate in all states of the processor. */
static bool is_steady(void)
{
    unsigned a, b, c, d;

    return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d & 1u << 8) != 0;
}

static uint64_t read_ticks(void)
{
    return __builtin_ia32_rdtsc();
}
#elif defined __aarch64__
static bool is_steady(void)
{
    return true;
}

static uint64_t read_ticks(void)
{
    uint64_t ticks;

    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}
#endif

enum events_clock tick_scale_choose(int avoid_ticks)
{
    return !avoid_ticks && is_steady() && is_trusted_by_kernel()
               ? EVENTS_CLOCK_TICKS
               : EVENTS_CLOCK_NANOSECONDS;
}

/* The attempt that nothing came in between. */
static void take_pair(uint64_t *ticks, uint64_t *ns)
{
    uint64_t least = UINT64_MAX;

    for (int i = 0; i < PAIR_ATTEMPTS; i++) {
        uint64_t before = read_ticks();
        uint64_t between = clock_ns(CLOCK_MONOTONIC);
        uint64_t after = read_ticks();

        if (after - before < least) {
            least = after - before;
            *ticks = before + least / 2;
            *ns = between;
        }
    }
}

void tick_scale_begin(struct tick_scale *scale, enum events_clock clock)
{
    *scale = (struct tick_scale){ .clock = clock };
    take_pair(&scale->first_ticks, &scale->first_ns);
    scale->ticks = scale->first_ticks;
    scale->ns = scale->first_ns;
}

void tick_scale_update(struct tick_scale *scale)
{
    take_pair(&scale->ticks, &scale->ns);
    if (scale->ticks != scale->first_ticks)
        scale->ns_per_tick = (double)(scale->ns - scale->first_ns) /
                             (double)(scale->ticks - scale->first_ticks);
}

uint64_t tick_scale_before(const struct tick_scale *scale, uint32_t ns)
{
    if (scale->clock == EVENTS_CLOCK_NANOSECONDS)
        return clock_ns(CLOCK_MONOTONIC) - ns;
    return scale->ns_per_tick > 0
               ? read_ticks() - (uint64_t)(ns / scale->ns_per_tick)
               : 0;
}
