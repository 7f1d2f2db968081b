/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zpl.h - ZPL memory profiling: how full every stack, heap and slab is, in time
 *
 *     tally_zpl_start("dir:/tmp/trace"); // for babeltrace2 and tally decode
 *
 * On a host that is all. TALLY_ZPL=dir:/tmp/trace in the environment does the
 * same without a line of code, except in a program with set-user-ID,
 * set-group-ID or capabilities. On firmware, with a sink of its own, from the
 * main loop:
 *
 *     tally_zpl_open(&(struct tally_zpl_stream){ .sink = uart_sink,
 *                                                .buffer = packet,
 *                                                .capacity = sizeof packet });
 *     for (;;) {
 *         tally_zpl_poll();
 *         ...
 *     }
 *
 * Every so often the profiler looks at all regions and emits one event for
 * each, in this order: the stacks of all threads, heaps, k_heaps, slabs. A
 * stack's `used` is the most it ever used, and its event has the thread's id.
 * No event has a field for how deep a stack is now, so no report shows it;
 * tally_port_stack_depth() of tally/port.h tells the program itself. Regions
 * are found automatically: heaps and slabs also when they were made at run
 * time, on Linux all threads, and libc's arenas as heaps.
 *
 * Nothing here waits for readers. What cannot be handed on is dropped in
 * whole events and counted, and the stream says how many.
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
 * Emit one event, with the time of now. Any thread; not from signal handlers.
 * While another event is written, not from interrupts above those that are
 * masked.
 */
void zpl_emit_memory_event(enum zpl_memory_region memory_region,
                           uintptr_t memory_addr, uint32_t used,
                           uint32_t unused);
void zpl_emit_memory_for_thread_event(enum zpl_memory_region memory_region,
                                      uintptr_t memory_addr, uint32_t used,
                                      uint32_t unused, uint32_t for_thread_id);

/* "stack", "heap", "k_heap", "mem_slab", or "<unknown>"; static. */
const char *
zpl_memory_region_enum_to_string(enum zpl_memory_region memory_region);

/*
 * Switch the profiler on or off: from the next round on. So do
 * `tally ctl PID memory_profiler=0|1` and a debugger,
 * `set var debug_configs.memory_profiler = 1`. It begins as
 * CONFIG_ZPL_MEMORY_PROFILING says.
 */
void zpl_memory_profiling_set(bool enable);

/*
 * Beyond ZPL.
 */

bool tally_zpl_is_on(void);

enum tally_zpl_format {
    TALLY_ZPL_CONFIGURED, /* as CONFIG_ZPL_TRACE_FORMAT_... says */
    TALLY_ZPL_CTF,
    TALLY_ZPL_PLAINTEXT
};

/* What events become, and where they go. What is 0 is as it was configured. */
struct tally_zpl_stream {
    struct tally_zpl_sink sink;
    void *buffer;      /* for a packet, or lines: the library's from now on */
    uint32_t capacity; /* its size, at least TALLY_ZPL_BUFFER_SMALLEST */
    uint8_t format;    /* enum tally_zpl_format */
    uint8_t layout;    /* 1, 2 or 3; firmware has the one it is built with */
    bool is_bare;      /* without packets' heads, which ZPL's own tools skip */
};

enum { TALLY_ZPL_BUFFER_SMALLEST = 128 };

/*
 * Events go there from now on, first what is there already. Before the first
 * one all events are lost. 0, or TALLY_E_INVALID.
 */
int tally_zpl_open(const struct tally_zpl_stream *stream);

/* Hand on what is in the buffer. A round does it at its end. */
void tally_zpl_flush(void);

/* One event for each region, if the profiler is on, and a flush. One thread at
   a time. */
void tally_zpl_round(void);

/*
 * A round when it is time for one: CONFIG_ZPL_MEMORY_PROFILING_THREAD_DELAY
 * milliseconds after the first call, then each _INTERVAL. For programs without
 * a thread for it: from the main loop, or a timer. True when there was a round.
 */
bool tally_zpl_poll(void);

/* What the profiler did, and what that took. */
struct tally_zpl_figures {
    uint64_t events;    /* emitted, in any context */
    uint64_t discarded; /* ... that no sink took */
    uint64_t packets;   /* handed on */
    uint64_t rounds;
    uint64_t total_ns; /* of all rounds */
    uint32_t last_ns;  /* of the last one */
    uint32_t most_ns;  /* of the longest */
    uint32_t regions;  /* that the last one found */
    uint32_t unseen;   /* threads whose stacks it could not find */
};

void tally_zpl_figures_get(struct tally_zpl_figures *figures);

/*
 * On hosts: a thread that makes a round each
 * CONFIG_ZPL_MEMORY_PROFILING_INTERVAL milliseconds and sends what is emitted
 * to `target`:
 *
 *     dir:PATH            a folder, made if need be: PATH/metadata for CTF
 *                         readers and PATH/channel0_0
 *     file:PATH           a file, a named pipe, whatever can be written and is
 *                         no symbolic link
 *     -                   standard output
 *     fd:NUMBER           a descriptor that is open
 *     ram                 tally_zpl_ram, for a debugger
 *
 * Options may follow, each after a comma: interval=MS, delay=MS,
 * format=ctf|plaintext, layout=1|2|3, bare, off. A comma begins an option if
 * letters alone, or letters and a `=`, follow; a PATH may have other commas.
 * What is made here is for its owner alone, since it holds addresses.
 *
 * To a serial line or over a network: file: with a named pipe, and socat.
 *
 *     mkfifo zpl; socat -u OPEN:zpl TCP:localhost:5000
 *
 * 0, or a negative errno: -EBUSY if it is started, -EINVAL for NULL and for an
 * option that does not exist, -EPROTONOSUPPORT for tcp:, listen: and serial:,
 * which are refused with a line on the console. Readers may come late, be slow,
 * or go: the program does not wait.
 */
int tally_zpl_start(const char *target);

/*
 * One last round, then end the thread, once everything is written or a second
 * has passed. A program that ends does so by itself.
 */
void tally_zpl_stop(void);

TALLY_END_DECLS

#endif /* TALLY_ZPL_H */
