/* SPDX-License-Identifier: Apache-2.0 */
/*
 * programs.h - the recorded programs that run, as tally serve reads them
 *
 * What reads ledgers and symbols has room for one reading at a time: it is done
 * between programs_lock() and programs_unlock(), which may be nested.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "tool/commands/load/live_page.h"
#include "tool/model/source.h"

struct program {
    struct program *next;
    pid_t pid;
    uint64_t start_ticks; /* with the pid, names it for ever */
    char name[256];       /* of its first thread, cut by the kernel */
    char number[16];
    struct symbols *symbols;  /* from one reading to the next */
    struct served_page *page; /* NULL: it was not asked for */
    struct live_page source;  /* of the page */
    _Atomic unsigned uses;    /* private */
    bool is_here;             /* private */
    uint32_t user;
    uint64_t offset;  /* of its ledger, when it was found */
    uint64_t used_ns; /* processor time of its metrics, for requests.c */
};

void programs_lock(void);
void programs_unlock(void);

/* With the lock: look who runs, at most once a second; the first one. */
struct program *programs_find(void);

/* number of a user with more programs than were looked at; -1: there is none */
extern int64_t programs_cut;

/* That of a number, or for 0 the only one, for program_release(); NULL: there
   is none. */
struct program *programs_take(pid_t pid);
void program_release(struct program *program);

/* Its accounts at this instant, for source_close(); false: it has ended, or
   what it runs now is not recorded. */
bool program_read(const struct program *program, struct source *source);

/* With the lock: what it says now, or what is more than in `earlier` unless
   that is NULL, finished; NULL: it has ended, or it is not sound. */
struct profile *program_profile(const struct program *program,
                                const struct source *earlier);

/* Its page, for served_page_close(); NULL: it has ended. */
struct served_page *program_page(struct program *program);
