/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zpl.h - ZPL memory profiling: use of every stack, heap and slab over time
 *
 *     tally_zpl_start("dir:/tmp/trace"); // for babeltrace2 and tally decode
 *
 * Hosts need no more. TALLY_ZPL=dir:/tmp/trace in the environment does the same
 * without code, except in programs with set-user-ID, set-group-ID or
 * capabilities. Firmware supplies a sink and polls from its main loop:
 *
 *     tally_zpl_open(&(struct tally_zpl_stream){ .sink = uart_sink,
 *                                                .buffer = packet,
 *                                                .capacity = sizeof packet });
 *     for (;;) {
 *         tally_zpl_poll();
 *         ...
 *     }
 *
 * In regular rounds the profiler visits all regions and emits one event for
 * each, in this order: stacks of all threads, heaps, k_heaps, slabs. A stack's
 * `used` is its highest use so far; its event has the thread's id. Events have
 * no field for the current depth of a stack, so reports do not show it; a
 * program can call tally_port_stack_depth() of tally/port.h. Regions are found
 * automatically: heaps and slabs even if created at run time, on Linux all
 * threads, and libc's arenas as heaps.
 *
 * The profiler never waits for readers. Events that cannot be sent are dropped
 * whole and counted; the stream states the count.
 */
#ifndef TALLY_ZPL_H
#define TALLY_ZPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tally/zpl_event.h"
#include "tally/zpl_sink.h"

TALLY_BEGIN_DECLS

/*
 * Emit one event with the current time. Any thread; not from signal handlers.
 * While another event is being written, not from interrupts that stay unmasked.
 */
void zpl_emit_memory_event(enum zpl_memory_region memory_region,
                           uintptr_t memory_addr, uint32_t used,
                           uint32_t unused);
void zpl_emit_memory_for_thread_event(enum zpl_memory_region memory_region,
                                      uintptr_t memory_addr, uint32_t used,
                                      uint32_t unused, uint32_t for_thread_id);

/* Return "stack", "heap", "k_heap", "mem_slab", or "<unknown>"; static. */
const char *
zpl_memory_region_enum_to_string(enum zpl_memory_region memory_region);

/*
 * Switch the profiler on or off, from the next round on. `tally ctl PID
 * memory_profiler=0|1` and a debugger's `set var debug_configs.memory_profiler
 * = 1` do the same. CONFIG_ZPL_MEMORY_PROFILING is the initial state.
 */
void zpl_memory_profiling_set(bool enable);

/* Extensions to ZPL. */

bool tally_zpl_is_on(void);

enum tally_zpl_format {
    TALLY_ZPL_CONFIGURED, /* set by CONFIG_ZPL_TRACE_FORMAT_... */
    TALLY_ZPL_CTF,
    TALLY_ZPL_PLAINTEXT
};

/* Format and sink of events. Fields that are 0 take the configured value. */
struct tally_zpl_stream {
    struct tally_zpl_sink sink;
    void *buffer;       /* buffer for a packet or lines; owned by the library
                          from now on */
    uint32_t capacity;  /* its size in bytes, at least
                          TALLY_ZPL_BUFFER_SMALLEST */
    uint8_t format;     /* enum tally_zpl_format */
    uint8_t layout;     /* 1 to 4; firmware only supports the one it was built
                          with */
    bool is_bare;       /* no packet headers, which ZPL's own tools skip */
    bool without_names; /* bare or in layouts 3, 4: no names of threads, for
                           readers that know zpl_memory only; else Zephyr's
                           event thread_name_set, in every 16th round */
};

enum { TALLY_ZPL_BUFFER_SMALLEST = 128 };

/* Send events to this stream from now on, first those already buffered. Before
   the first call all events are lost. Return 0 or TALLY_E_INVALID. */
int tally_zpl_open(const struct tally_zpl_stream *stream);

/* Send the contents of the buffer. Each round ends with a flush. */
void tally_zpl_flush(void);

/* Emit one event for each region if the profiler is on, and flush. One thread
   at a time. */
void tally_zpl_round(void);

/*
 * Run a round if one is due: CONFIG_ZPL_MEMORY_PROFILING_THREAD_DELAY
 * milliseconds after the first call, then every _INTERVAL milliseconds. For
 * programs without a thread for it: call it from the main loop or a timer.
 * Return true if a round ran.
 */
bool tally_zpl_poll(void);

/* Counters of the profiler and the time it took. */
struct tally_zpl_figures {
    uint64_t events;    /* emitted, in any context */
    uint64_t discarded; /* ... that no sink accepted */
    uint64_t packets;   /* sent */
    uint64_t rounds;
    uint64_t total_ns; /* of all rounds */
    uint32_t last_ns;  /* of the last round */
    uint32_t most_ns;  /* of the longest round */
    uint32_t regions;  /* found in the last round */
    uint32_t unseen;   /* threads whose stacks the last round could not find */
};

void tally_zpl_figures_get(struct tally_zpl_figures *figures);

/*
 * Hosts only. Start a thread that runs a round every
 * CONFIG_ZPL_MEMORY_PROFILING_INTERVAL milliseconds and sends events to
 * `target`:
 *
 *     dir:PATH            a folder, created if needed: PATH/metadata for CTF
 *                         readers and PATH/channel0_0
 *     file:PATH           a file or named pipe, but not a symbolic link
 *     -                   standard output
 *     fd:NUMBER           an open descriptor
 *     ram                 tally_zpl_ram, for a debugger
 *
 * Options may follow, each after a comma: interval=MS, delay=MS,
 * format=ctf|plaintext, layout=1|2|3|4, bare, off. A comma begins an option if
 * only letters, or letters and `=`, follow; a PATH may contain other commas.
 * Created files are private to their owner, since they contain addresses.
 *
 * For a serial line or a network, use file: with a named pipe and socat:
 *
 *     mkfifo zpl; socat -u OPEN:zpl TCP:localhost:5000
 *
 * Return 0 or a negative errno: -EBUSY if it is already started, -EINVAL for
 * NULL and for unknown options, -EPROTONOSUPPORT for tcp:, listen: and serial:,
 * which are refused with a line on the console. Readers may connect late, be
 * slow, or disconnect: the program does not wait.
 */
int tally_zpl_start(const char *target);

/* Run a last round, then end the thread once everything is written or one
   second has passed. Called automatically when the program ends. */
void tally_zpl_stop(void);

TALLY_END_DECLS

#endif /* TALLY_ZPL_H */
