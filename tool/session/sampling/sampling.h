/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sampling.h - samples of running images: totals, sites, resident memory
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "format/ledger/history_reader.h"
#include "format/ledger/ledger_reader.h"
#include "format/ledger/segments_layout.h"
#include "tool/session/find/process_facts.h"
#include "tool/session/find/session_ledgers.h"
#include "tool/session/session_failure.h"

/*
 * Live bytes of each site of a running image over time
 *
 *     site_history_note(history, site.id, &site.counter);  of all sites
 *     is_coarser = site_history_add(history, now, live_bytes);
 *
 * In memory of the command. A copy for others lies in the session, where the
 * program could write, too: what is read from there is checked. An instant
 * keeps what has changed since the one before: see history_reader.h. There are
 * at most 256, of at most 8 MiB; before there are more, every other one goes.
 * The one of two neighbours with more live bytes stays, so that a peak that was
 * seen is not lost; and so does the latest.
 *
 * Sites for which there is no room are counted.
 */

#define SITE_HISTORY_BYTES (UINT64_C(8) << 20)

struct site_counts {
    uint64_t now[LEDGER_GROWN];  /* as noted */
    uint64_t last[LEDGER_GROWN]; /* at the latest instant */
};

/* Begins as { 0 }. The rest is private. */
struct site_history {
    uint64_t resident;         /* of the next instant; 0: not known */
    struct site_counts *sites; /* by id */
    size_t site_count;
    uint64_t missing; /* sites without room, of this instant */
    uint64_t left_out;
    struct ledger_instant instants[LEDGER_INSTANT_CAPACITY];
    uint32_t count;
    unsigned char *runs;
    size_t room;
};

void site_history_note(struct site_history *history, uint32_t site,
                       const struct ledger_counter *counter);

/* An instant, with all that was noted. True: every other one had to go. */
bool site_history_add(struct site_history *history, uint64_t ns,
                      uint64_t live_bytes);

/* Into a snapshot, as its last segment: its bytes, or NULL if there are none or
   there is no room. */
const unsigned char *site_history_store(const struct site_history *history,
                                        struct ledger_snapshot *snapshot);

/* Store the history in the snapshot, and from there in the session, where
   others may be reading. */
void site_history_publish(const struct site_history *history,
                          struct ledger_snapshot *snapshot);

/* Copy the published history of the snapshot's image into the snapshot,
   unchecked. */
void site_history_fetch(struct ledger_snapshot *snapshot);

/* Go on with it, in an empty history: its tally record was killed. */
void site_history_resume(struct site_history *history,
                         struct ledger_snapshot *snapshot);

void site_history_free(struct site_history *history);

/*
 * Resident memory of a process, by cause
 *
 * Read from outside: the process does nothing for it and is not stopped. Each
 * mapping goes to the first row that it fits:
 *
 *     tally        the session's file; the recorder's own file; anonymous
 *                  memory that is neither dumped nor made of huge pages, as
 *                  ours always is
 *     maps         what the process mapped itself: struct program_maps
 *     stacks       [stack]; anonymous memory right above a guard page
 *     heap         [heap]; what else is anonymous, private and to be written
 *     files        mapped files; variables behind a loaded file; the vdso
 *     unexplained  the rest
 *
 * If one mapping holds memory of two kinds, /proc/PID/pagemap tells which of
 * its pages are resident. Libc's allocator, stacks by pthread_create() and
 * loaded files are known in all their forms; a loader's few pages count as
 * heap, as does what a process mapped by a raw system call.
 */

/*
 * Maps of the process itself and stacks of its threads. To the kernel they
 * look like maps of an allocator. The recorder, which saw each mmap, keeps a
 * table in the process's memory and tells where in the ledger's header. It is
 * read from there, at any instant: nothing in it is trusted, and a table that
 * is being changed is not known. Begins as { 0 }.
 */
struct program_maps {
    struct ledger_map *maps; /* in rising order, none overlaps another */
    size_t count;
    uint64_t *resident; /* bytes of each; NULL: not looked at */
    bool is_known;      /* false: none could be read */
};

/* Read the struct ledger_map_table at `address` in process `pid`. */
void program_maps_read(struct program_maps *maps, pid_t pid, uint64_t address);
void program_maps_free(struct program_maps *maps);

/* The first piece of [*from, end) that is in some map, not a stack: [*from,
   *to). */
bool program_maps_next(const struct program_maps *maps, uint64_t *from,
                       uint64_t end, uint64_t *to);

/* Ranges of the heap in rising order, but for those without memory. */
struct heap_range {
    uint64_t start; /* [start, end), whole pages */
    uint64_t end;
    uint64_t huge;   /* bytes in huge pages, of the mapping it is part of */
    bool has_shared; /* pages there may be mapped by others, too */
};

/* Begins as { 0 }; the caller frees `ranges` and `maps`. */
struct heap_ranges {
    struct heap_range *ranges;
    size_t count;
    struct program_maps maps;
};

/*
 * Read it now; `snapshot` is of the process's ledger, a moment ago, and the
 * caller knows `live_bytes`. 0, or -1: the process has ended, has become
 * another program, or does not show. The heap's ranges are added to `ranges`,
 * which may be NULL.
 */
int resident_memory_read(pid_t pid, const struct ledger_snapshot *snapshot,
                         struct ledger_resident *resident,
                         struct heap_ranges *ranges);

/*
 * The blocks of a running process, in rising order
 *
 * Read out of its shadow (ledger/shards/shadow.h) without a lock, while it
 * allocates and frees: a region at a time, and of that only what was written.
 * A block that changes meanwhile is left out or comes as it was; one that the
 * next one overlaps is gone and ends where that begins. Nothing that is read is
 * trusted: blocks never overlap and never go backwards, whatever it says.
 */

/* How another process is looked at; tests have a scripted one. */
struct process_view {
    /* `size` bytes of its memory; false: not all of them. */
    bool (*read_memory)(void *context, uint64_t address, void *to, size_t size);
    /* Words of its page map, for `count` pages from number `page` on. */
    bool (*read_pages)(void *context, uint64_t page, size_t count,
                       uint64_t *words);
    void *context;
};

struct shadow_block {
    uint64_t start; /* [start, end): what it takes of the heap. libc's blocks
                       have a word before them, and are rounded up */
    uint64_t end;
    uint64_t asked; /* [asked, asked_end): what the program asked for */
    uint64_t asked_end;
    uint32_t reference; /* of its site */
    bool is_id;         /* the reference is the site's id: it was compressed */
};

typedef void visit_block_fn(const struct shadow_block *block, void *context);

/*
 * Call `visit` for each block that the struct ledger_shadow at `address`
 * knows. How many were left out comes in `*left_out`. False: there is no such
 * shadow, or no memory for it.
 */
bool shadow_blocks_visit(const struct process_view *view, uint64_t address,
                         visit_block_fn *visit, void *context,
                         uint64_t *left_out);

/*
 * Stacks that keep the heap's pages in memory
 *
 * Read from outside, from the process's shadow and the kernel's page map: the
 * process does nothing for it and is not stopped. The rule:
 *
 *     A resident page is charged to the stacks whose blocks lie in it, each by
 *     its part of what all of them take there. So what is unused in a page is
 *     charged to those who pin it. A page in which no block lies is the
 *     allocator's. A huge page is one page.
 *
 * Pages that a stack alone pins would go back if its blocks there were freed
 * and the allocator gave free pages back; of a huge page that several stacks
 * pin, its small pages would. All is an estimate: allocators keep some pages,
 * blocks come and go while we read, and the kernel says how much of a mapping
 * is in huge pages, but not where: as many places are taken for huge as are
 * whole.
 *
 *     struct ledger_snapshot snapshot;  // of the process, a moment ago
 *     struct session_failure failure;
 *
 *     if (residency_add(pid, &ranges, &snapshot, &failure) < 0)
 *         print(failure.text);
 */

/* By the sites' ids; number 0 as in struct ledger_residency. */
struct residency {
    struct ledger_residency *sites; /* for free() */
    size_t count;
};

/*
 * Charge the pages of `ranges`. False: the snapshot or the shadow cannot be
 * read, or there is no memory.
 */
bool residency_find(const struct process_view *view,
                    const struct heap_ranges *ranges,
                    const struct ledger_snapshot *snapshot,
                    struct residency *residency);

/* Read the residency of a running process. */
bool residency_read(pid_t pid, const struct heap_ranges *ranges,
                    const struct ledger_snapshot *snapshot,
                    struct residency *residency);

/* Add RESIDENCY segments to the snapshot; false: there is no room. */
bool residency_store(const struct residency *residency,
                     struct ledger_snapshot *snapshot);

/*
 * Read the residency of process `pid` and add it to its snapshot, as RESIDENCY
 * segments; `ranges` is NULL if its memory cannot be read. 0, or -1.
 */
int residency_add(pid_t pid, const struct heap_ranges *ranges,
                  struct ledger_snapshot *snapshot,
                  struct session_failure *failure);

/*
 * A ledger's totals, now and over time
 *
 * Room for a timeline never grows. When it is full, every other sample goes: of
 * two neighbours the one with more live bytes stays, so that what is left was
 * true, and a peak that was seen is not lost.
 *
 * While the programs run, their ledgers are read now and then, at first every
 * 100 ms, the totals added to the timeline that each ledger has room for, and
 * what each site holds noted as its peak, if it is one. Whenever a timeline is
 * thinned out its interval doubles; so does that of its sites. All that
 * takes at most 1 % of one CPU's time: when there is more to read, it is read
 * less often.
 *
 * Resident memory is read after 10 ms, then whenever the image is twice as old,
 * at last twice a second; that takes at most another 1 %. If much of the heap
 * is unused or was never touched, pages and blocks tell which stacks pin or
 * left it: that takes at most 4 % for ten seconds, then another 1 %. The last
 * result goes into the ledger.
 *
 * With a budget of overhead there is an eighth of that in place of each 1 %,
 * and pages are not looked at.
 */

/*
 * Add a sample to the LEDGER_SAMPLE_CAPACITY that there is room for. A
 * concurrent reader finds nothing but samples. True: every other one had to
 * go.
 */
bool timeline_store_add(struct ledger_sample *samples,
                        const struct ledger_sample *sample);

/* The totals of a ledger's heap. */
struct ledger_totals {
    struct ledger_sample sample;
    uint64_t allocations;
    bool is_estimate; /* for it was sampled */
};

/*
 * Read the totals in `snapshot`, as of `ns`; return false if they cannot be
 * read. A site that holds more than it was ever seen to hold has that noted in
 * the copy and, if it is of a live ledger and we may write, in the ledger.
 */
bool ledger_totals_read(const struct ledger_snapshot *snapshot, uint64_t ns,
                        struct ledger_totals *totals);

/* Add the totals in `snapshot` to its own timeline, if it has one, and to
   `history`, unless that is NULL. Return false if they cannot be read. */
bool timeline_store_close(const struct ledger_snapshot *snapshot, uint64_t ns,
                          struct site_history *history);

/* Take the last sample of an image, add its history and residency to its last
   snapshot, and forget it. */
void timeline_close_image(struct image *image, struct ledger_snapshot *snapshot,
                          uint64_t ns);

/* Free the history and residency of an image. */
void timeline_forget_image(struct image *image);

/*
 * Store resident memory in a header that others may be reading as the latest,
 * and as the one with the most if it is. The time of a read identifies it.
 */
void resident_memory_store(struct ledger_header *header,
                           const struct ledger_resident *resident);

/* Begins as { 0 }. */
struct timeline_sampler {
    uint32_t next;            /* private: the image whose turn it is */
    uint64_t share;           /* private: one part of so many of a CPU's time */
    uint64_t begun_ns;        /* private */
    uint64_t rest_until_ns;   /* private */
    uint64_t resident_cpu_ns; /* private: of one poll, and counted apart */
    uint64_t resident_rest_until_ns; /* private */
    uint64_t pages_rest_until_ns;    /* private */
};

/* Sample what is due. Returns the milliseconds until the next call. */
int timeline_sampler_poll(struct timeline_sampler *sampler,
                          struct image_table *table,
                          const struct session_file *session);
