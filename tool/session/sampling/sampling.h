/* SPDX-License-Identifier: Apache-2.0 */
/* sampling.h - data points of running images: totals, sites, resident memory */
#pragma once

#include "format/ledger/history_reader.h"
#include "tool/session/find/process_facts.h"
#include "tool/session/find/session_ledgers.h"

/*
 * Live bytes of each site of a running image over time
 *
 *     site_history_note(history, site.id, &site.counter);  // each site
 *     is_coarser = site_history_add(history, now, live_bytes);
 *
 * The history is in memory of the command. Its published copy is in the
 * session, where the program can write too, so a reader checks that copy. A
 * data point keeps the changes since the one before (history_reader.h). A
 * history has at most 256 data points and 8 MiB; beyond that every other one is
 * removed. The latest stays, and of two neighbours the one with more live
 * bytes, so that no observed peak is lost.
 *
 * Sites without room in the history are counted.
 */

#define SITE_HISTORY_BYTES (UINT64_C(8) << 20)

struct site_counts {
    uint64_t now[LEDGER_GROWN];  /* counters as noted last */
    uint64_t last[LEDGER_GROWN]; /* counters at the latest data point */
};

/* Initialize as { 0 }; the fields are private. */
struct site_history {
    uint64_t resident;         /* resident bytes at the next data point; 0:
                                  unknown */
    struct site_counts *sites; /* indexed by site id */
    size_t site_count;
    uint64_t missing; /* sites without room at this data point */
    uint64_t left_out;
    struct ledger_instant instants[LEDGER_INSTANT_CAPACITY];
    uint32_t count;
    unsigned char *runs;
    size_t room;
};

void site_history_note(struct site_history *history, uint32_t site,
                       const struct ledger_counter *counter);

/* Add a data point with all noted counters. Return true if every other data
   point was removed to make room. */
bool site_history_add(struct site_history *history, uint64_t ns,
                      uint64_t live_bytes);

/* Store the history as the last segment of the snapshot. Return its bytes, or
   NULL if the history is empty or there is no room. */
const unsigned char *site_history_store(const struct site_history *history,
                                        struct ledger_snapshot *snapshot);

/* Store the history in the snapshot, and publish it in the session, where other
   processes may be reading. */
void site_history_publish(const struct site_history *history,
                          struct ledger_snapshot *snapshot);

/* Copy the published history of the snapshot's image into the snapshot,
   unchecked. */
void site_history_fetch(struct ledger_snapshot *snapshot);

/* Continue the history published by a killed tally record; `history` is
   empty. */
void site_history_resume(struct site_history *history,
                         struct ledger_snapshot *snapshot);

void site_history_free(struct site_history *history);

/*
 * Resident memory of a process, by cause
 *
 * It is read from outside: the process is not stopped and does no work. Each
 * mapping counts in the first row that fits:
 *
 *     tally        the session's file; the recorder's own file; anonymous
 *                  memory excluded from core dumps and huge pages, as the
 *                  recorder's always is
 *     maps         mappings made by the process: struct program_maps
 *     stacks       [stack]; anonymous memory right above a guard page
 *     heap         [heap]; other anonymous memory, private and writable
 *     files        file mappings; variables behind a loaded file; the vdso
 *     unexplained  the rest
 *
 * If one mapping has memory of two kinds, /proc/PID/pagemap tells its resident
 * pages. All forms of libc's allocator, of stacks by pthread_create() and of
 * loaded files are recognised. A few pages of the loader, and mappings by a raw
 * system call, count as heap.
 */

/*
 * Mappings made by the process itself, and stacks of its threads. To the kernel
 * they look like mappings of an allocator. The recorder, which sees each mmap,
 * keeps a table of them in the process's memory; the ledger's header has its
 * address. The table is read while the process runs: its content is checked,
 * and a table that is changing is not used. Initialize as { 0 }.
 */
struct program_maps {
    struct ledger_map *maps; /* in rising order; they do not overlap */
    size_t count;
    uint64_t *resident; /* bytes of each map; NULL: not read */
    bool is_known;      /* false: no table could be read */
};

/* Read the struct ledger_map_table at `address` in process `pid`. */
void program_maps_read(struct program_maps *maps, pid_t pid, uint64_t address);
void program_maps_free(struct program_maps *maps);

/* Find the first part of [*from, end) within a map that is no stack. Set
   [*from, *to) to it; return false if there is none. */
bool program_maps_next(const struct program_maps *maps, uint64_t *from,
                       uint64_t end, uint64_t *to);

/* A range of the heap that has memory. */
struct heap_range {
    uint64_t start; /* [start, end), whole pages */
    uint64_t end;
    uint64_t huge;   /* bytes in huge pages of its mapping */
    bool has_shared; /* other processes may map its pages too */
};

/* Heap ranges in rising order. Initialize as { 0 }; the caller frees `ranges`
   and `maps`. */
struct heap_ranges {
    struct heap_range *ranges;
    size_t count;
    struct program_maps maps;
};

/*
 * Read the resident memory of process `pid` now. `snapshot` is a recent copy of
 * its ledger; the caller has set `live_bytes`. Add the heap's ranges to
 * `ranges`, unless that is NULL. Return 0, or -1 if the process has ended, runs
 * another program, or cannot be read.
 */
int resident_memory_read(pid_t pid, const struct ledger_snapshot *snapshot,
                         struct ledger_resident *resident,
                         struct heap_ranges *ranges);

/*
 * Blocks of a running process, in rising order
 *
 * They are read from its shadow (ledger/shards/shadow.h) without a lock, while
 * the process allocates and frees: region by region, and only written pages. A
 * block that changes meanwhile is left out or appears in its old state. A block
 * that overlaps the next one was freed; it ends where the next begins. The
 * shadow is not trusted: visited blocks never overlap and never go backwards.
 */

/* Access to another process; tests supply a scripted one. */
struct process_view {
    /* Read `size` bytes of its memory; return false if not all can be read. */
    bool (*read_memory)(void *context, uint64_t address, void *to, size_t size);
    /* Read the words of `count` pages of its page map, from number `page`
       on. */
    bool (*read_pages)(void *context, uint64_t page, size_t count,
                       uint64_t *words);
    void *context;
};

struct shadow_block {
    uint64_t start; /* [start, end): its part of the heap. A block of libc
                       includes the word before it and is rounded up */
    uint64_t end;
    uint64_t asked; /* [asked, asked_end): the bytes that the program
                       requested */
    uint64_t asked_end;
    uint32_t reference; /* reference of its site */
    bool is_id;         /* true: the reference was compressed, and is the
                           site's id */
};

typedef void visit_block_fn(const struct shadow_block *block, void *context);

/*
 * Call `visit` for each block in the struct ledger_shadow at `address`. Set
 * *left_out to the number of blocks left out. Return false if there is no such
 * shadow, or no memory for it.
 */
bool shadow_blocks_visit(const struct process_view *view, uint64_t address,
                         visit_block_fn *visit, void *context,
                         uint64_t *left_out);

/*
 * Stacks that keep the heap's pages in memory
 *
 * They are read from outside, from the process's shadow and the kernel's page
 * map; the process is not stopped and does no work. The rule:
 *
 *     A resident page is charged to the stacks that have blocks in it, in
 *     proportion to the space of their blocks. So the stacks that pin a
 *     page also pay for its unused part. A page without blocks belongs to
 *     the allocator. A huge page is one page.
 *
 * If a stack is the only one with blocks in a page, freeing these blocks lets
 * the page return to the system, provided that the allocator gives free pages
 * back. In a huge page pinned by several stacks, this holds for its small
 * pages. All figures are estimates: allocators keep some free pages, and blocks
 * change during the read. The kernel tells how much of a mapping is in huge
 * pages, but not where: the first fully resident places, up to that amount,
 * count as huge.
 *
 *     struct ledger_snapshot snapshot;  // of the process, a moment ago
 *     struct session_failure failure;
 *
 *     if (residency_add(pid, &ranges, &snapshot, &failure) < 0)
 *         print(failure.text);
 */

/* Sums indexed by site id; number 0 as in struct ledger_residency. */
struct residency {
    struct ledger_residency *sites; /* freed by the caller */
    size_t count;
};

/*
 * Charge the pages of `ranges`. Return false if the snapshot or the shadow
 * cannot be read, or memory runs out.
 */
bool residency_find(const struct process_view *view,
                    const struct heap_ranges *ranges,
                    const struct ledger_snapshot *snapshot,
                    struct residency *residency);

/* Fill the resident bytes of MAP sites. False: as above. */
bool residency_of_maps(const struct program_maps *maps,
                       const struct ledger_snapshot *snapshot,
                       struct residency *residency);

/* Read the residency of a running process. */
bool residency_read(pid_t pid, const struct heap_ranges *ranges,
                    const struct ledger_snapshot *snapshot,
                    struct residency *residency);

/* Add RESIDENCY segments to the snapshot. Return false if there is no room. */
bool residency_store(const struct residency *residency,
                     struct ledger_snapshot *snapshot);

/*
 * Read the residency of process `pid` and add it to its snapshot as RESIDENCY
 * segments. `ranges` is NULL if its memory cannot be read. Return 0 or -1.
 */
int residency_add(pid_t pid, const struct heap_ranges *ranges,
                  struct ledger_snapshot *snapshot,
                  struct session_failure *failure);

/*
 * Totals of a ledger, now and over time
 *
 * A timeline never grows. When it is full, every other data point is removed.
 * The one with more live bytes of two neighbours stays: the rest are true
 * values, and no observed peak is lost.
 *
 * While the programs run, the command reads their ledgers, at first every 100
 * ms. It adds the totals to the timeline in each ledger, and raises the peak of
 * each site if its live bytes are higher. When a timeline is thinned out, its
 * interval doubles; so does the interval of its sites' history. All this takes
 * at most 1 % of one CPU; larger ledgers are read less often.
 *
 * Resident memory is read after 10 ms, then each time the age of the image has
 * doubled, and finally twice a second, for at most another 1 %. If much of the
 * heap is unused or untouched, pages and blocks tell which stacks pin it or
 * left it untouched. They take at most 4 % for ten seconds, then another 1 %.
 * The last result is stored in the ledger.
 *
 * With a budget of overhead, an eighth of the budget replaces each 1 %, and
 * pages are not read.
 */

/*
 * Add a data point to the LEDGER_SAMPLE_CAPACITY slots of a timeline. A
 * concurrent reader finds only whole data points. Return true if every other
 * one was removed.
 */
bool timeline_store_add(struct ledger_sample *samples,
                        const struct ledger_sample *sample);

/* Totals of the heap of a ledger. */
struct ledger_totals {
    struct ledger_sample sample;
    uint64_t allocations;
    bool is_estimate; /* true if blocks were sampled */
};

/*
 * Read the totals in `snapshot`, as of `ns`. Return false if they cannot be
 * read. If the live bytes of a site exceed its peak, raise the peak in the
 * copy, and also in the ledger if that is live and can be written.
 */
bool ledger_totals_read(const struct ledger_snapshot *snapshot, uint64_t ns,
                        struct ledger_totals *totals);

/* Add the totals in `snapshot` to its own timeline, if it has one. Return false
   if they cannot be read. */
bool timeline_store_close(const struct ledger_snapshot *snapshot, uint64_t ns);

/* Take the last data point of an image, `totals`, add its history and residency
   to its last snapshot, and free them. Return false if it cannot be read. */
bool timeline_close_image(struct image *image, struct ledger_snapshot *snapshot,
                          uint64_t ns, struct ledger_totals *totals);

/* Free the history and residency of an image. */
void timeline_forget_image(struct image *image);

/*
 * Store resident memory in a header that others may be reading, as the latest
 * value, and as the highest if it is. The time of a read identifies it.
 */
void resident_memory_store(struct ledger_header *header,
                           const struct ledger_resident *resident);

/* Initialize as { 0 }; the fields are private. */
struct timeline_sampler {
    uint32_t next;            /* image to look at next */
    uint64_t share;           /* reciprocal of the sampler's share of a CPU */
    uint64_t begun_ns;        /* monotonic time of the first call */
    uint64_t rest_until_ns;   /* monotonic time until which nothing is read */
    uint64_t resident_cpu_ns; /* CPU time of one poll for resident memory,
                                 counted apart */
    uint64_t resident_rest_until_ns; /* until which resident memory is not
                                        read */
    uint64_t pages_rest_until_ns;    /* until which pages are not read */
};

/* Take the data points whose time has come. Return the milliseconds until the
   next call. */
int timeline_sampler_poll(struct timeline_sampler *sampler,
                          struct image_table *table,
                          const struct session_file *session);
