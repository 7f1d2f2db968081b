/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source.h - what the user named: a file, standard input, or a live program
 *
 * A source is bytes. sources/loaders.h opens one and makes a profile of it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Why a source cannot be used, for one line that the command prints. */
struct source_failure {
    const char *why;    /* static */
    const char *advice; /* static */
    bool has_offset;
    uint64_t offset; /* byte of the source that `why` is about */
    uint64_t line;   /* or its line, from 1; 0: neither is known */
};

/* Set both sentences; always -1, so that failing paths read as one line. */
int source_fail(struct source_failure *failure, const char *why,
                const char *advice);

/* errno says why the file `path` cannot be read. */
int source_fail_to_open(struct source_failure *failure, const char *path);

int source_fail_at_line(struct source_failure *failure, uint64_t line,
                        const char *why, const char *advice);

enum source_kind {
    SOURCE_LEDGER,
    SOURCE_ALLOCINFO, /* a Linux kernel's, or what tally allocinfo printed */
    SOURCE_STACKS,    /* out of a fleet's store */
    SOURCE_TRACE,     /* memory events over time, for trace_open_source() */
};

struct source {
    enum source_kind kind;
    unsigned char *bytes;
    size_t size;
    size_t capacity; /* private: what source_close() unmaps */
    /* Of a trace, whose beginning is in `bytes`, what to read on from. */
    int descriptor;
    char *folder; /* or the folder that it is; else NULL */
};

/* Whether to read on: 1, 0, or -1 with the reason why it is no use. */
typedef int source_wants_fn(const struct source *source,
                            struct source_failure *failure);

/*
 * Read all of a descriptor into an empty source, but for holes; `wants_more`,
 * which may be NULL, is asked each time the buffer is full. 0, or -1.
 */
int source_read(struct source *source, int descriptor,
                source_wants_fn *wants_more, struct source_failure *failure);

/*
 * Take over a mapping of `size` bytes, for source_close() to unmap. It must be
 * a ledger.
 */
void source_open_bytes(struct source *source, unsigned char *bytes,
                       size_t size);

void source_close(struct source *source);

/* Whether the bytes claim to be a ledger; its loader decides if they are. */
bool is_ledger(const void *bytes, size_t size);

/* Whether bytes begin as what zstd or gzip made, and -1 with what to do
   then. */
bool is_packed(const unsigned char *bytes, size_t size);
int refuse_packed(struct source_failure *failure);
