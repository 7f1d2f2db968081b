/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session_layout.h - layout of the ledgers of one `tally record`
 *
 * A session is one memfd, described in docs/ledger-format.md. After page 0
 * there is a word for each pid: the number of exec images that this process was
 * about to become and that should open a ledger. An image that cannot reach the
 * session cannot say so; the process that ran it has counted it.
 *
 * An image opens the path in TALLY_SESSION, maps page 0, checks magic and
 * nonce, takes the next number by one atomic addition to `ledger_count`, and
 * maps its extent. The system calls are openat, fstat, mmap and close, which
 * the dynamic loader needs, too.
 *
 * Each process of a session can write all of this file, and may have fewer
 * privileges than others. So nothing in it is executed, and nothing in it
 * decides which process or file is acted on (docs/hazards.md, "What the command
 * trusts"). The plan for patching the program's own malloc is in a separate
 * file, whose descriptor follows the session's in TALLY_SESSION: sealed against
 * writing, owned by the same user or root, with the session's nonce.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "format/invariant.h"

#define SESSION_MAGIC       "TALLYSES"
#define SESSION_MAGIC_SIZE  8
#define SESSION_VERSION     4
#define SESSION_ENVIRONMENT "TALLY_SESSION"
#define SESSION_EXTENT_SIZE (UINT64_C(1) << 32)
#define SESSION_CAPACITY    (UINT32_C(1) << 20) /* ledgers */
#define SESSION_FILE_SIZE   (SESSION_EXTENT_SIZE * (SESSION_CAPACITY + 1))
#define SESSION_PID_LIMIT   (UINT32_C(1) << 22) /* above all pids of Linux */
#define SESSION_EXPECTED    UINT64_C(4096)      /* offset of the words by pid */

/* Offset in an extent: history of the image, as known to tally record. */
#define SESSION_HISTORY       (UINT64_C(3) << 30)
#define SESSION_HISTORY_LIMIT (UINT64_C(16) << 20)

struct session_history {
    uint64_t ns;   /* time of the latest snapshot; 0 while the rest changes */
    uint64_t size; /* size of the HISTORY segment that follows
                      (history_reader.h) */
};

/* Process images after the first that are recorded: `--follow`. */
enum session_follow {
    SESSION_FOLLOW_NONE = 0,
    SESSION_FOLLOW_FORK = 1, /* forked children, until they exec */
    SESSION_FOLLOW_EXEC = 2, /* images that replace another by exec */
    SESSION_FOLLOW_ALL = 3,
};

/* Site of a heap block: `--stacks`. */
enum session_stacks {
    SESSION_STACKS_CALLER = 0,  /* the call site */
    SESSION_STACKS_ALL = 1,     /* the whole stack */
    SESSION_STACKS_SAMPLED = 2, /* the whole stack, of samples only */
};

/* Plans for an allocator inside the program. */
enum session_patches {
    SESSION_PATCHES_NONE = 0,
    SESSION_PATCHES_PLAN = 1,  /* the next descriptor is a plan (see above) */
    SESSION_PATCHES_ASKED = 2, /* ... and the process with these descriptors
                                  replaces it by one for the process whose pid,
                                  of 4 bytes, is written to its descriptor 0 */
};

enum { SESSION_SYMBOL_CAPACITY = 64 };

struct session_header {
    uint8_t magic[SESSION_MAGIC_SIZE];
    uint32_t version;
    uint32_t follow; /* enum session_follow */
    uint64_t nonce;
    uint64_t extent_size;  /* SESSION_EXTENT_SIZE */
    uint32_t ledger_count; /* ledgers allocated; the atomic word */
    uint32_t ledger_capacity;
    uint32_t control;    /* enum ledger_control of a new ledger */
    uint32_t compressed; /* 1: 16-bit references */
    /* Symbol that identifies an allocator linked into the program; empty: none.
       NUL-terminated. */
    char own_allocator[SESSION_SYMBOL_CAPACITY];
    uint32_t events_clock; /* enum events_clock; 0: no event trace */
    /* Futex. 1: the reader of events sleeps on this word. */
    uint32_t events_sleeping;
    uint32_t stacks;          /* enum session_stacks */
    uint32_t patches;         /* enum session_patches */
    uint64_t sample_interval; /* mean bytes between samples; of sampled sessions
                                 only */
    uint64_t sample_seed;
    uint32_t sample_budget;  /* as in the ledger's header */
    uint32_t sample_cpus;    /* usable CPUs, in thousandths */
    uint64_t sample_ticks;   /* ticks of the time stamp counter per second; 0:
                                it is not a clock */
    uint32_t blackbox_rings; /* rings to overwrite; 0: no black box */
    uint32_t attached;       /* pid of the process of tally attach; 0: none */
    uint32_t is_over; /* 1: tally attach has ended, and so have the accounts */
    uint32_t reserved;
};

/*
 * Offset of the request for a copy by the black box, made by a process that
 * holds a flock() on the file. The keeper holds a POSIX lock on its first byte
 * while it lives. A request is a new `ticket`; `answered` is set to it last.
 */
#define SESSION_COPY (UINT64_C(48) << 20)

struct session_copy {
    uint32_t ticket, asked; /* asked: number of the ledger */
    uint32_t answered;      /* ticket that this copy answers */
    uint32_t error;         /* errno; 0: written */
    char path[4096];        /* NUL-terminated */
};

STATIC_ASSERT(offsetof(struct session_header, ledger_count) == 32);
STATIC_ASSERT(sizeof(struct session_header) == 176);
