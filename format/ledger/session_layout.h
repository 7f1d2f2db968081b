/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session_layout.h - where the ledgers of one `tally record` lie
 *
 * One memfd, which docs/ledger-format.md describes. Behind page 0 lies a word
 * for each process number: how many images that process was about to become
 * that should leave a ledger. An image that does not reach the session cannot
 * say so; the process that ran it has.
 *
 * An image opens the path in TALLY_SESSION, maps page 0, checks magic and
 * nonce, takes the next number by one atomic addition to `ledger_count`, and
 * maps its extent: openat, fstat, mmap and close, which the dynamic loader
 * needs too.
 *
 * Each process of a session can write all of this file, and may have fewer
 * rights than another one. So nothing in it is run, and nothing in it decides
 * which process or file is acted on (docs/hazards.md, "What the command
 * trusts"). How to patch the program's own malloc lies in a file of its own,
 * behind the descriptor that follows the session's in TALLY_SESSION: sealed
 * against writing, of the same user or root, with the session's nonce.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SESSION_MAGIC       "TALLYSES"
#define SESSION_MAGIC_SIZE  8
#define SESSION_VERSION     4
#define SESSION_ENVIRONMENT "TALLY_SESSION"
#define SESSION_EXTENT_SIZE (UINT64_C(1) << 32)
#define SESSION_CAPACITY    (UINT32_C(1) << 20) /* ledgers */
#define SESSION_FILE_SIZE   (SESSION_EXTENT_SIZE * (SESSION_CAPACITY + 1))
#define SESSION_PID_LIMIT   (UINT32_C(1) << 22) /* none is greater on Linux */
#define SESSION_EXPECTED    UINT64_C(4096)      /* where the words begin */

/* From the start of an extent: what its image held over time, as far as tally
   record knows. */
#define SESSION_HISTORY       (UINT64_C(3) << 30)
#define SESSION_HISTORY_LIMIT (UINT64_C(16) << 20)

struct session_history {
    uint64_t ns;   /* of the latest instant; 0 while the rest changes */
    uint64_t size; /* of what follows, a HISTORY segment (history_layout.h) */
};

/* Which process images after the first are recorded: `--follow`. */
enum session_follow {
    SESSION_FOLLOW_NONE = 0,
    SESSION_FOLLOW_FORK = 1, /* forked children, until they exec */
    SESSION_FOLLOW_EXEC = 2, /* images that replace another by exec */
    SESSION_FOLLOW_ALL = 3,
};

/* What a site of the heap is: `--stacks`. */
enum session_stacks {
    SESSION_STACKS_CALLER = 0,  /* the call alone */
    SESSION_STACKS_ALL = 1,     /* all calls that led there */
    SESSION_STACKS_SAMPLED = 2, /* the same, of samples alone */
};

enum { SESSION_SYMBOL_CAPACITY = 64 };

struct session_header {
    uint8_t magic[SESSION_MAGIC_SIZE];
    uint32_t version;
    uint32_t follow; /* enum session_follow */
    uint64_t nonce;
    uint64_t extent_size;  /* SESSION_EXTENT_SIZE */
    uint32_t ledger_count; /* ledgers handed out; the atomic word */
    uint32_t ledger_capacity;
    uint32_t control;    /* enum ledger_control that a new ledger begins with */
    uint32_t compressed; /* 1: 16-bit references */
    /*
     * The symbol by which an allocator was found that is linked into the
     * program itself; empty when there is none. NUL-terminated.
     */
    char own_allocator[SESSION_SYMBOL_CAPACITY];
    uint32_t events_clock; /* enum events_clock; 0: no trace of events */
    /* 1: the reader of events sleeps on this word, a futex. */
    uint32_t events_sleeping;
    uint32_t stacks;  /* enum session_stacks */
    uint32_t patches; /* 1: a plan lies behind the next descriptor, below */
    uint64_t sample_interval; /* bytes between samples; of sampled ones alone */
    uint64_t sample_seed;
    uint32_t sample_budget;  /* as in the ledger's header */
    uint32_t sample_cpus;    /* thousandths of CPUs that can be used */
    uint64_t sample_ticks;   /* of the counter in a second; 0: it is no clock */
    uint32_t blackbox_rings; /* not 0: so many, which are overwritten */
    uint32_t attached; /* the process number of its tally attach; 0: none */
    uint32_t is_over;  /* 1: that was ended, and the accounts with it */
    uint32_t reserved;
};

/*
 * Where a copy by the black box is asked for, by a process that has the file
 * locked: flock(). The keeper has a POSIX lock on its first byte as long as it
 * lives. A request is a new `ticket`; `answered` is set to it last.
 */
#define SESSION_COPY (UINT64_C(48) << 20)

struct session_copy {
    uint32_t ticket, asked; /* of the ledger of that number */
    uint32_t answered;      /* a ticket, whose copy this is: */
    uint32_t error;         /* errno; 0: it is written */
    char path[4096];        /* NUL-terminated */
};

_Static_assert(offsetof(struct session_header, ledger_count) == 32, "layout");
_Static_assert(sizeof(struct session_header) == 176, "layout");
