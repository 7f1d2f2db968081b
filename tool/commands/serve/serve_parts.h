/* SPDX-License-Identifier: Apache-2.0 */
/* serve_parts.h - parts of `tally serve` */
#pragma once

#include "tool/commands/load/load.h"

/*
 * The running recorded programs, for tally serve
 *
 * Ledgers and symbols are read by one thread at a time, between programs_lock()
 * and programs_unlock(), which nest.
 */

/* Heap figures of a program, in bytes, when its metrics were made. */
struct program_reading {
    uint64_t at_ns; /* of CLOCK_MONOTONIC */
    uint64_t live, allocated;
};

enum { PROGRAM_READINGS = 60 };

struct program {
    struct program *next;
    pid_t pid;
    uint64_t start_ticks; /* identifies the process, with the pid */
    char name[256];       /* the program's, as the metrics' service */
    char number[16];
    struct symbols *symbols;  /* kept between readings */
    struct served_page *page; /* NULL: not requested yet */
    struct live_page source;  /* of the page */
    _Atomic unsigned uses;    /* private */
    bool is_here;             /* private */
    uint32_t user;
    uint64_t offset;  /* offset of its ledger, when it was found */
    uint64_t used_ns; /* processor time of its metrics, for requests.c */
    struct program_reading readings[PROGRAM_READINGS]; /* the oldest first */
    size_t reading_count;
    uint64_t peak; /* bytes of the heap; 0: unknown */
};

void programs_lock(void);
void programs_unlock(void);

/* With the lock: find running programs, at most once a second; return the
   first. */
struct program *programs_find(void);

/* user with more programs than were examined; -1: none */
extern int64_t programs_cut;

/* Return the program with that pid, or for 0 the only one, for
   program_release(); NULL: none. */
struct program *programs_take(pid_t pid);
void program_release(struct program *program);

/* Read the program's ledger, for source_close(). Return false if it has ended,
   or runs a program that is not recorded. */
bool program_read(const struct program *program, struct source *source);

/* With the lock: return the finished profile, minus `earlier` unless that is
   NULL; NULL if the program has ended or the ledger is damaged. */
struct profile *program_profile(const struct program *program,
                                const struct source *earlier);

/* Return the program's page, for served_page_close(); NULL if it has ended. */
struct served_page *program_page(struct program *program);

/* Keep a reading of the program; drop the oldest one if there are too many. */
void program_keep(struct program *program, const struct profile *profile);

/* With the lock: write the page that lists the programs, the largest first. */
void programs_list(FILE *out);

/* Answers of tally serve: see serve_parts.help */

struct web_request;

/* Answer a request, for struct web_service. `top` is a size_t: sites of each
   program in /metrics. */
int serve_answer(void *top, const struct web_request *request);
