/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zpl_profiler.c - one event for each region, every so often
 *
 * The switch is a word under the name that ZPL gives it, so that a debugger with
 * ZPL's commands finds it. The time of each round is measured and goes into the
 * packets.
 */
#include "tally/zpl.h"

#include "core/zpl/zpl_regions.h"
#include "core/zpl/zpl_stream.h"
#include "tally/config.h"
#include "tally/port.h"

#define NS_PER_MS UINT64_C(1000000)

/* Debuggers write it while the program stands still. */
static volatile struct {
    uint32_t memory_profiler;
} debug_configs = { TALLY_CONFIG(CONFIG_ZPL_MEMORY_PROFILING) };

static struct tally_zpl_figures figures;
static uint32_t profiler_us, rest_ns; /* the sum of all rounds */
static bool is_polled;
static uint64_t next_round_ns;

void zpl_memory_profiling_set(bool enable)
{
    debug_configs.memory_profiler = enable;
}

bool tally_zpl_is_on(void)
{
    return debug_configs.memory_profiler != 0;
}

/* Avoids a 64-bit division, which firmware does not have. */
static void account(uint64_t taken_ns)
{
    uint32_t ns =
        taken_ns > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)taken_ns;
    uint32_t key = tally_port_lock();

    figures.rounds++;
    figures.total_ns += taken_ns;
    figures.last_ns = ns;
    if (ns > figures.most_ns)
        figures.most_ns = ns;
    tally_port_unlock(key);
    rest_ns += ns;
    profiler_us += rest_ns / 1000;
    rest_ns %= 1000;
}

void tally_zpl_round(void)
{
    uint64_t begin_ns;

    if (!tally_zpl_is_on()) {
        tally_zpl_flush(); /* what others have emitted */
        return;
    }
    begin_ns = tally_port_time_ns();
    zpl_stream_set_profiler_us(profiler_us);
    figures.regions = zpl_regions_emit(&figures.unseen);
    tally_zpl_flush();
    account(tally_port_time_ns() - begin_ns);
}

bool tally_zpl_poll(void)
{
    uint64_t now_ns = tally_port_time_ns();
    const uint64_t interval_ns =
        CONFIG_ZPL_MEMORY_PROFILING_INTERVAL * NS_PER_MS;

    if (!is_polled) {
        is_polled = true;
        next_round_ns =
            now_ns + CONFIG_ZPL_MEMORY_PROFILING_THREAD_DELAY * NS_PER_MS;
    }
    if (now_ns < next_round_ns)
        return false;
    next_round_ns += interval_ns;
    if (next_round_ns <= now_ns) /* rounds that were missed are not made up */
        next_round_ns = now_ns + interval_ns;
    tally_zpl_round();
    return true;
}

void tally_zpl_figures_get(struct tally_zpl_figures *out)
{
    uint32_t key = tally_port_lock();

    *out = figures;
    tally_port_unlock(key);
    zpl_stream_figures(out);
}
