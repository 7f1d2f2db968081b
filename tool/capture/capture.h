/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capture.h - traces from live sources, and the files they go to
 */
#pragma once

#include <asm/termbits.h>
#include <stddef.h>
#include <sys/types.h>

#include "format/ctf/ctf_input.h"
#include "tool/model/source.h"

/*
 * Read a trace while it is written
 *
 *     PATH               a file, a pipe, a device
 *     -                  standard input
 *     tcp:HOST:PORT      connect
 *     listen:HOST:PORT   wait for a connection
 *     PATH:BAUD          a serial device or a pseudoterminal
 */

/* Results of waiting for bytes or a signal. */
enum wait_result {
    WAIT_READY,
    WAIT_LATE,    /* timeout */
    WAIT_STOPPED, /* SIGINT, SIGTERM or SIGHUP came; stays so */
};

/*
 * Have those signals only end waits from now on. Return the descriptor to wait
 * with, or -1 with errno.
 */
int wait_open(void);

/*
 * Wait until `descriptor` has `events` of poll(), or is at its end.
 * `descriptor` -1: only let time pass; `milliseconds` -1: no timeout; `stop`
 * -1: no signal ends the wait.
 */
enum wait_result wait_for(int stop, int descriptor, short events,
                          int milliseconds);

struct capture_source {
    int descriptor; /* for wait_for() */
    bool is_live;   /* bytes arrive live; false: a file */

    bool is_serial;         /* private */
    struct termios2 before; /* private: settings of the device to restore */
};

struct capture_order {
    const char *source;
    int stop;         /* of wait_open() */
    int milliseconds; /* timeout of a connection; -1: none */
    bool has_enable;  /* send the byte that Zephyr's UART waits for */
};

/* Open the source. Return 0, or -1 with the reason. */
int capture_source_open(struct capture_source *source,
                        const struct capture_order *order,
                        struct source_failure *failure);
void capture_source_close(struct capture_source *source);

/*
 * Read from a ready source. Return the bytes read, 0 at the end, or -1 with
 * errno; EAGAIN if it was not ready after all.
 */
ssize_t capture_source_read(struct capture_source *source, void *bytes,
                            size_t size);

/*
 * Write captured bytes
 *
 * A file; standard output for "-"; or for a name that ends in '/' a folder, in
 * which the stream is `channel0_0` and has a `metadata` beside it from the
 * start: for a clock alone, until the layout is known, and then for all events
 * of Zephyr; or the user's file. At the end the stream is reduced to whole
 * events, for readers that accept no damage, and the metadata get those without
 * a name as arrays of bytes; a second class of streams is then in `channel0_1`.
 * Existing files are never overwritten.
 */

enum { UNKNOWN_CAPACITY = 64 };

/* Events without a name, which all have the same size. */
struct capture_unknown {
    uint16_t id, stream_id;
    uint16_t size; /* without the header */
};

struct capture_file {
    int descriptor;
    int folder; /* -1: a plain file */
    int stop;
    bool has_bytes;    /* anything was written */
    bool is_described; /* metadata are the stream's, not those of the start */
    const struct ctf_metadata_facts *facts; /* of the stream */
    uint64_t left_out; /* events that no metadata can describe */
    unsigned unknown_count;
    struct capture_unknown unknown[UNKNOWN_CAPACITY];
};

/*
 * Open the output. With `stop` of wait_open() a signal ends a write that waits
 * on a full pipe. Return 0, or -1 with the reason.
 */
int capture_file_open(struct capture_file *file, const char *path, int stop,
                      struct source_failure *failure);

/* Write all bytes; return -1 with errno on failure. */
int capture_file_write(struct capture_file *file, const void *bytes,
                       size_t size);

/*
 * Replace a folder's metadata, once: the stream's layout, and the wall-clock
 * time of its time 0 (0: unknown). Return 0, or -1 with errno.
 */
int capture_file_describe(struct capture_file *file,
                          const struct ctf_layout *layout,
                          uint64_t clock_zero_ns);

/*
 * Finish after the last byte: in a folder, keep only whole events. Return 0; 1
 * if no metadata can describe what came, and the metadata is removed; or -1
 * with errno. Unless 0, all bytes are kept.
 */
int capture_file_settle(struct capture_file *file, bool is_mixed);

/* Close the output; return -1 with errno if not all was written. */
int capture_file_close(struct capture_file *file);
