/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile.h - memory by call site and stack, of one or more process images
 *
 * A loader fills a profile by the profile_add_*() functions and finishes it;
 * all others read its fields. All that it points to lies in its arena.
 *
 * Rows are call sites: an address in a module's file, the module known by path
 * and build-id, so that one place in two processes, or loaded twice, is one
 * row. Rows of an allocinfo text have labels instead of addresses, and are
 * never merged. If stacks are known (profile_parts.h), a row is the sum of the
 * stacks that end at it.
 *
 *     struct profile *profile = profile_create();
 *
 *     source_load(source, profile, &failure);
 *     profile_finish(profile);
 *     for (size_t i = 0; i < profile->caller_count; i++)
 *         show(&profile->callers[i]);
 *     profile_destroy(profile);
 */
#pragma once

#include "format/byte_stream.h"
#include "format/text/allocinfo_text.h"
#include "tool/model/profile/profile_parts.h"

/* Module number of a site in no known module. */
#define PROFILE_NO_MODULE UINT32_MAX

struct profile_module {
    char *path; /* any bytes but NUL; "" unknown */
    uint8_t build_id[ELF_BUILD_ID_CAPACITY];
    uint32_t build_id_size;
    uint64_t bias;      /* run-time address - file address, when first seen */
    uint64_t start;     /* run-time address of its first segment, then */
    uint64_t size;      /* bytes from there to the end of its last segment */
    bool is_executable; /* the program itself, not a shared object */
};

/* Sets of kinds of sites: a bit for each enum ledger_site_kind. */
#define PROFILE_KIND(kind) (1u << (kind))
#define PROFILE_MEMORY \
    (PROFILE_KIND(LEDGER_SITE_HEAP) | PROFILE_KIND(LEDGER_SITE_MAP))
#define PROFILE_ALL (PROFILE_KIND(LEDGER_SITE_KINDS) - 1)

/* Names of kinds, as --kind takes them. */
extern const char *const profile_kind_names[LEDGER_SITE_KINDS];

/* Name of a site, by its source. */
struct profile_label {
    const char *function; /* never NULL, nor is `file` */
    const char *file;
    uint64_t line;
    const char *module; /* NULL: built in */
    const char *pairs;  /* key:value pairs of its row, verbatim; or "" */
};

/* One row. */
struct profile_site {
    uint64_t place;  /* return address in the module's file; at run time if the
                        module is unknown; row number without addresses */
    uint32_t kind;   /* enum ledger_site_kind, not NONE */
    uint32_t module; /* index in modules[], or PROFILE_NO_MODULE */
    const struct profile_label *label; /* NULL: named by its address */
    uint32_t frame; /* caller, while it is added; STACK_WHOLE in a row */
    struct profile_amounts amounts;
    struct lifetimes *lifetimes; /* of its samples; NULL: none */
    bool is_estimate;            /* drawn from samples, not exact */
    bool is_inaccurate; /* the source says that its live values are wrong */
    bool lacks_totals;  /* only live values are known */
    bool is_unloaded;   /* its shared object was unloaded */
    bool is_torn;     /* live values below 0, shown as 0; by profile_finish() */
    bool is_sum;      /* several sites, by site_sum() */
    bool is_left_out; /* its names do not match the filter */
    int64_t slab_bytes; /* live bytes of a kernel's slab pages, which their
                           objects count again; by profile_finish() */
};

/* Code of a notice whose text says all. */
#define PROFILE_NOTICE_OF_SOURCE UINT32_MAX

/* Warning of the recorder. */
struct profile_notice {
    uint32_t code; /* enum ledger_notice_code, or a newer writer's */
    uint64_t times;
    char *text;       /* never NULL */
    bool is_of_other; /* another process of the recording has it */
};

/* Slab or heap that the program manages itself. */
struct profile_region {
    struct ledger_region_view seen; /* without its name */
    uint32_t pid;
    uint32_t module; /* of the variable that holds it, or PROFILE_NO_MODULE */
    char *name;      /* "" unknown */
};

/* Resident memory of one image. */
struct profile_resident {
    bool is_known;
    bool is_missing;               /* tally record had no time to read it */
    struct ledger_resident latest; /* all fields add up to less than 2^63 */
    struct ledger_resident most;   /* highest reading; ns 0: none */
};

/* Process image: a process between two execs. */
struct profile_image {
    uint32_t pid;
    uint32_t parent_pid;
    uint64_t start_ns;    /* CLOCK_REALTIME */
    uint64_t start_ticks; /* identifies the process together with the pid */
    uint64_t end_ns;      /* CLOCK_REALTIME; 0: still running */
    uint32_t control;     /* enum ledger_control */
    uint32_t flags;       /* enum ledger_flags */
    uint32_t end;         /* enum ledger_end, or a newer writer's */
    uint32_t end_code;    /* exit status or signal */
    bool has_ended;
    bool is_replaced;   /* by exec: it ended before its program would */
    char *program;      /* path; never NULL */
    char *command_line; /* arguments joined by one space; never NULL */
};

struct profile {
    struct arena *arena; /* of all that the profile and its names point to */

    /* Rows and what they refer to. */
    unsigned kinds; /* kinds to keep, set before the first site is added;
                       0: PROFILE_MEMORY */
    bool uses_up;   /* set before: the bytes of a ledger are not read again, so
                     that the pages of its sites can go when they are loaded */
    struct profile_site *sites; /* as recorded; none after blame_find() */
    size_t site_count;
    struct profile_site *callers; /* rows to show: recorded sites or, after
                                     blame_find(), the callers to blame */
    size_t caller_count;
    struct profile_module *modules;
    size_t module_count;
    bool has_stacks; /* each site is the sum of its stacks */
    struct stacks stacks;
    size_t cut_stacks;        /* stacks without their outermost frames */
    struct text_pool labels;  /* KEY=VALUE of stacks: profile_pair() */
    struct given_names given; /* names of places, by the source */

    /* Processes, and facts that belong to no row. */
    struct profile_image *images;
    size_t image_count;
    struct profile_notice *notices;
    size_t notice_count;
    struct profile_region *regions;
    size_t region_count;
    uint64_t counts[LEDGER_COUNT_COUNT]; /* of losses and oddities */

    /* Totals, by profile_finish(). */
    struct profile_amounts heap;
    struct profile_amounts maps;
    int64_t slab_bytes; /* sum of the sites' */
    size_t torn_sites;  /* rows that are marked so, as are the next two */
    size_t inaccurate_sites;
    bool lacks_totals; /* some row does */

    /* Time. */
    uint64_t duration_ns; /* first start to last end or reading; 0 unknown */
    uint64_t since_ns;    /* CLOCK_REALTIME of the earlier snapshot that was
                             subtracted: its live blocks are inherited; or 0 */
    struct timeline timeline;
    struct history history;

    /*
     * Peaks, in bytes. Heap and maps have one each, and `peak_bytes` of a site
     * is its share of its kind's. Several images have none: theirs were at
     * different times.
     */
    bool has_peaks;            /* each site's share of the heap's is known */
    bool has_map_peaks;        /* ... and of the maps' */
    bool has_map_reading;      /* `most_resident` of maps is known */
    uint64_t peak_bytes;       /* of the heap; 0 unknown */
    uint64_t peak_most;        /* highest estimate; peak_bytes if exact */
    uint64_t peak_uncertainty; /* +- this much */
    uint64_t peak_with_maps;   /* highest sum of heap and maps; 0 unknown */
    uint64_t peak_of_process;  /* of the heap and, if read, the most resident
                                  bytes of maps; 0 unknown */
    uint64_t peak_copied;      /* live bytes when shares were written */
    bool peak_is_live;         /* the heap's peak is now */
    bool peak_is_difference;   /* shares are stored relative to live values */
    bool peak_is_joint;        /* old ledgers: all shares are of
                                  peak_with_maps */

    /* Optional columns of each site. */
    bool has_temporary;      /* blocks freed by the next allocation */
    bool has_temporary_maps; /* the same column of maps */
    bool has_grown;          /* blocks grown by realloc */
    bool has_sizes;          /* `sizes` are of all images */
    uint64_t sizes[LEDGER_SIZE_CLASSES]; /* allocations, by size class */

    /* Sampling: heap values are estimates (quantities.h) if interval > 1. */
    uint64_t sample_interval; /* bytes between samples, on average; 0: exact */
    struct ledger_sampling sampling; /* interval and budget of a ledger */
    struct lifetimes lifetimes;      /* of the heap */

    /* Resident memory, of one image alone. */
    struct profile_resident resident;
    bool has_residency;               /* pages are attributed to sites */
    struct ledger_residency unpinned; /* pages without a live block */
    struct ledger_residency pinned;   /* sum of all sites' pages */

    /* One kind of source each. */
    struct ledger_events_view events; /* in a black box; offset 0: none */
    struct call_summary *calls;       /* of a trace of calls; else NULL */
    unsigned allocinfo_version;       /* 1 or 2; 0: no allocinfo text */
    struct allocinfo_remarks text;    /* of the allocinfo text */

    /* Private. */
    struct index_table site_table;
    struct sum_range ranges[5]; /* of numbers of an allocinfo text */
};

struct profile *profile_create(void);

/* Free the profile and all that lies in its arena: names, too. */
void profile_destroy(struct profile *profile);

/*
 * Add an image, a module, a notice or a region; texts are copied. A module that
 * is known by path and build-id keeps its number, which is returned.
 */
void profile_add_image(struct profile *profile,
                       const struct profile_image *image);
uint32_t profile_add_module(struct profile *profile,
                            const struct profile_module *module);
void profile_add_notice(struct profile *profile,
                        const struct profile_notice *notice);
void profile_add_region(struct profile *profile,
                        const struct profile_region *region);

/*
 * Begin to keep stacks, before the first site of a source that knows them.
 * Sites added until now become stacks of one frame.
 */
void profile_begin_stacks(struct profile *profile);

/*
 * Add amounts to the row of the site's place, and to its stack if stacks are
 * kept; label and lifetimes are copied. Return the number of the stack, or of
 * the row without stacks; UINT32_MAX if this kind is not kept.
 */
uint32_t profile_add_site(struct profile *profile,
                          const struct profile_site *site);

/*
 * Labels of stacks, KEY=VALUE, are their outermost frames, at places without a
 * module. Return the place of a pair; the pair at a place, or NULL.
 */
struct profile_place profile_place_of_pair(struct profile *profile,
                                           const char *pair);
const char *profile_pair(const struct profile *profile, uint32_t place);

/* Return the innermost pair from *frame outwards, or NULL, and move *frame to
   its caller. */
const char *profile_next_pair(const struct profile *profile, uint32_t *frame);

/* Give a site another label, which is copied. */
void profile_label_site(struct profile *profile, struct profile_site *site,
                        const struct profile_label *label);

/* Mark a sum by the marks of one of its sites. */
void profile_join_marks(struct profile_site *sum,
                        const struct profile_site *site);

/* Work out live values and totals, once all has been added. */
void profile_finish(struct profile *profile);

/* Return `total` per second, rounded; needs duration_ns. */
uint64_t profile_rate(const struct profile *profile, uint64_t total);

/* Return true if any image was running when its ledger was read. */
bool profile_is_running(const struct profile *profile);

/* Return true if any amounts are from before a fork. */
bool profile_has_inherited(const struct profile *profile);

/* Return true if this is not the earlier reading, alike sampled, and has each
   process of the other one. */
bool profile_is_later(const struct profile *profile,
                      const struct profile *earlier);

/*
 * The trace as read, the parts that are missing, and the facts of
 * its calls that belong to no call site
 */

/*
 * X(member in JSON, sentence behind its count): events and packets that are not
 * in the trace. To add a loss, add a row, and count it in trace_stream.c.
 */
#define TRACE_LOSS_LIST(X)                          \
    X(missing_packets, "packet[ is|s are] missing") \
    X(cut_packets, "packet[ is|s are] cut off")     \
    X(missing_events, "event[ is|s are] missing")   \
    X(discarded_events, "event[|s] lost by the program")

enum trace_loss {
#define TRACE_LOSS_NUMBER(name, sentence) TRACE_LOSS_##name,
    TRACE_LOSS_LIST(TRACE_LOSS_NUMBER)
#undef TRACE_LOSS_NUMBER
        TRACE_LOSS_COUNT
};

struct trace_counts {
    uint64_t bytes;
    uint64_t events;
    uint64_t calls;  /* events that are calls of allocation functions */
    uint64_t others; /* further events, which are not of memory */
    bool has_calls;  /* the metadata describes calls, even if there is none */
    bool is_blank;   /* no byte at all, as in a text of no calls */
    bool is_strange; /* CTF whose layout is not known */
    bool is_mixed;   /* CTF of several layouts, or events as text with it */
    struct skips skipped; /* in pieces, or lines of text */
    uint64_t losses[TRACE_LOSS_COUNT];
    uint64_t sample_interval; /* bytes, in text that says so; or 0 */
    uint64_t profiler_us; /* time that the profiler took, by its own account */
};

/* Return true if it is a trace, even of no call. */
static inline bool trace_counts_are_of_trace(const struct trace_counts *counts)
{
    return counts->events > 0 || (counts->has_calls && counts->bytes == 0);
}

/* Return true if anything was skipped or lost. */
bool trace_counts_are_lossy(const struct trace_counts *counts);

enum { TRACE_LOSSES_SIZE = 256 };

/*
 * Write "skipped 37 bytes in 2 places, the first at byte 40; 3 events lost by
 * the program", "the last 11 bytes are no whole event" of a trace that is cut,
 * or "" if nothing is missing.
 */
const char *trace_losses(char out[TRACE_LOSSES_SIZE],
                         const struct trace_counts *counts);

/* Requests of one site that failed. */
struct call_failure {
    uint32_t site; /* index in the profile */
    uint64_t count;
    uint64_t largest; /* bytes */
};

/* Places are times in nanoseconds or, without has_times, numbers of calls. */
struct call_summary {
    uint64_t events;
    bool has_times;
    uint64_t first, last; /* places */
    uint64_t peak_bytes;
    uint64_t peak_place;
    uint64_t temporary;       /* blocks */
    uint64_t sample_interval; /* bytes between samples; 0: all blocks are in */
    bool knows_files;         /* all files that the program had loaded */
    uint64_t earlier_boots;   /* their calls are left out */
    uint64_t odd_sizes; /* results for more bytes than there can be, left out */
    struct trace_counts counts;
    struct call_failure *failures; /* the most frequent first */
    size_t failure_count;
};
