/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source.h - bytes of a file, of standard input or of a live program
 *
 * sources/sources.h opens a source and makes a profile of it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reason why a source cannot be used, for one line of output. */
struct source_failure {
    const char *why;    /* static */
    const char *advice; /* static */
    bool has_offset;
    uint64_t offset; /* byte of the source, if has_offset */
    uint64_t line;   /* line of the source, from 1; 0 unknown */
};

/* Set both sentences and return -1. */
int source_fail(struct source_failure *failure, const char *why,
                const char *advice);

/* Explain by errno why the file `path` cannot be read; return -1. */
int source_fail_to_open(struct source_failure *failure, const char *path);

int source_fail_at_line(struct source_failure *failure, uint64_t line,
                        const char *why, const char *advice);

enum source_kind {
    SOURCE_LEDGER,
    SOURCE_ALLOCINFO, /* /proc/allocinfo, or output of tally allocinfo */
    SOURCE_STACKS,    /* stacks from a fleet's store */
    SOURCE_TRACE,     /* memory events, for trace_open_source() */
};

struct source {
    enum source_kind kind;
    unsigned char *bytes;
    size_t size;
    size_t capacity; /* private: mapped bytes */
    /* Rest of a trace, whose beginning is in `bytes`. */
    int descriptor;
    char *folder; /* path of a trace that is a folder; else NULL */
};

/*
 * Return 1 to read on, 0 to stop, or -1 with the reason to refuse the source.
 */
typedef int source_wants_fn(const struct source *source,
                            struct source_failure *failure);

/* Read a descriptor into an empty source, skipping holes. Call `wants_more`,
   which may be NULL, whenever the buffer is full. Return 0, or -1. */
int source_read(struct source *source, int descriptor,
                source_wants_fn *wants_more, struct source_failure *failure);

/* Take over the mapping of a ledger, which source_close() unmaps. */
void source_open_bytes(struct source *source, unsigned char *bytes,
                       size_t size);

void source_close(struct source *source);

/* Return true if the bytes begin like a ledger. */
bool is_ledger(const void *bytes, size_t size);

/* Return -1 with advice if the bytes begin like a compressed file's, else 0. */
int refuse_packed(const unsigned char *bytes, size_t size,
                  struct source_failure *failure);
