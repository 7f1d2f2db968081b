/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zpl_profiler.c - one event for each region, every so often
 *
 * The switch is a word under the name that ZPL gives it, so that a debugger
 * with ZPL's commands finds it. The time of each round is measured and goes
 * into the packets. The lists of heaps and slabs are walked under the port's
 * lock on hosts, where threads may take one off; on firmware interrupts stay
 * on.
 */
#include "tally/zpl.h"

#include "core/heaps/heap_chunk.h"
#include "core/slabs/mem_slab_list.h"
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

/* Bytes as an event has them: what is more is shown as the most there can
   be. */
static uint32_t event_bytes(size_t size)
{
    return size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
}

static void emit_stack(void *context, const struct tally_port_stack *stack)
{
    uint32_t *count = context;

    zpl_emit_memory_for_thread_event(
        ZPL_STACK, stack->start, event_bytes(stack->most_used),
        event_bytes(stack->size - stack->most_used), stack->thread);
    ++*count;
}

static void emit_port_heap(void *context, const struct tally_port_heap *heap)
{
    uint32_t *count = context;

    zpl_emit_memory_event(ZPL_HEAP, heap->address, event_bytes(heap->used),
                          event_bytes(heap->unused));
    ++*count;
}

/* A heap that is a k_heap's first field is reported as that k_heap. */
static uint32_t emit_heaps(enum ledger_region_kind kind,
                           enum zpl_memory_region region)
{
    const struct tally_heap_entry *entry = heap_registry_first();
    uint32_t count = 0;

    for (; entry != NULL; entry = heap_registry_next(entry)) {
        uint32_t used = __atomic_load_n(&entry->used, __ATOMIC_RELAXED);

        if (entry->kind != kind)
            continue;
        zpl_emit_memory_event(
            region, (uintptr_t)entry->place.object,
            event_bytes((size_t)used * CHUNK_UNIT),
            event_bytes((size_t)(entry->units - used) * CHUNK_UNIT));
        count++;
    }
    return count;
}

static uint32_t emit_slabs(void)
{
    const struct tally_slab_state *state = slab_registry_first();
    uint32_t count = 0;

    for (; state != NULL;
         state =
             (const struct tally_slab_state *)(const void *)state->place.next) {
        uint32_t used;

        if (state->place.object == NULL)
            continue;
        used = slab_state_used(state);
        zpl_emit_memory_event(
            ZPL_MEM_SLAB, (uintptr_t)state->place.object,
            event_bytes(used * state->block_size),
            event_bytes((state->num_blocks - used) * state->block_size));
        count++;
    }
    return count;
}

/* One event for each region there is, in ZPL's order. Returns how many;
   `*unseen` is how many threads have stacks that cannot be found. */
static uint32_t emit_regions(uint32_t *unseen)
{
    uint32_t count = 0;
#if __STDC_HOSTED__
    uint32_t key;
#endif

    *unseen = tally_port_each_stack(emit_stack, &count);
    tally_port_each_heap(emit_port_heap, &count);
#if __STDC_HOSTED__
    key = tally_port_lock();
#endif
    count += emit_heaps(LEDGER_REGION_HEAP, ZPL_HEAP);
    count += emit_heaps(LEDGER_REGION_K_HEAP, ZPL_K_HEAP);
    count += emit_slabs();
#if __STDC_HOSTED__
    tally_port_unlock(key);
#endif
    return count;
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
    figures.regions = emit_regions(&figures.unseen);
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
