/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capture_file.h - write captured bytes
 *
 * A file; standard output for "-"; or for a name that ends in '/' a folder, in
 * which the stream is `channel0_0` and gets a `metadata` beside it, once the
 * stream is known to be CTF: for all events of Zephyr, or the user's file. At
 * the end the stream is reduced to whole events, for readers that accept no
 * damage; a second class of streams is then in `channel0_1`. Existing files are
 * never overwritten.
 */
#pragma once

#include <stddef.h>

#include "format/ctf/ctf_input.h"
#include "tool/model/source.h"

struct capture_file {
    int descriptor;
    int folder; /* -1: a plain file */
    int stop;
    bool has_metadata;
    const struct ctf_metadata_facts *facts; /* of the stream */
    uint64_t left_out; /* events that the metadata does not describe */
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
 * Write a folder's metadata, once: the stream's layout, and the wall-clock time
 * of its time 0 (0: unknown). Return 0, or -1 with errno.
 */
int capture_file_describe(struct capture_file *file,
                          const struct ctf_layout *layout,
                          uint64_t clock_zero_ns);

/*
 * Finish after the last byte: in a folder with metadata, keep only whole
 * events. Return 0; 1 if no metadata can describe all events, and the metadata
 * is removed; or -1 with errno. Unless 0, all bytes are kept.
 */
int capture_file_settle(struct capture_file *file, bool is_mixed);

/* Close the output; return -1 with errno if not all was written. */
int capture_file_close(struct capture_file *file);
