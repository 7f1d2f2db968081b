/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile.h - who holds how much: the accounts of one or more process images
 *
 * A profile owns all it points to and depends on no file or mapping. Rows are
 * places: an address within a module's file, the module known by path and
 * build-id, so that the same place in two processes, or loaded twice, is one
 * row. A source that names places itself, as an allocinfo text does, gives them
 * labels; no two of its rows are one. Where stacks are known, a row is still a
 * place, and stacks.h has the ways that led there. Loaders fill it through the
 * profile_add_*() functions and everybody else reads its fields.
 *
 *     struct profile *profile = profile_create();
 *
 *     source_load(source, profile, &failure);
 *     profile_finish(profile);
 *     for (size_t i = 0; i < profile->site_count; i++)
 *         show(&profile->sites[i]);
 *     profile_destroy(profile);
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/ledger/counts_layout.h"
#include "format/ledger/ledger_reader.h"
#include "format/ledger/resident_layout.h"
#include "format/ledger/sites_layout.h"
#include "format/text/allocinfo_lines.h"
#include "tool/model/profile/amounts.h"
#include "tool/model/profile/call_summary.h"
#include "tool/model/profile/given_names.h"
#include "tool/model/profile/history.h"
#include "tool/model/profile/stacks.h"
#include "tool/model/profile/timeline.h"
#include "tool/symbols/elf_file.h"
#include "tool/tables/index_table.h"
#include "tool/tables/text_pool.h"

/* Module number of a site whose module is not known. */
#define PROFILE_NO_MODULE UINT32_MAX

struct profile_module {
    char *path; /* never NULL; "" unknown; any bytes but NUL */
    uint8_t build_id[ELF_BUILD_ID_CAPACITY];
    uint32_t build_id_size;
    uint64_t bias;      /* where it was first seen: address - file address */
    uint64_t start;     /* likewise, at run time */
    uint64_t size;      /* bytes from there that hold all its segments */
    bool is_executable; /* the program itself, not a shared object */
};

/* A bit for each kind of site. */
#define PROFILE_KIND(kind) (1u << (kind))
#define PROFILE_MEMORY \
    (PROFILE_KIND(LEDGER_SITE_HEAP) | PROFILE_KIND(LEDGER_SITE_MAP))
#define PROFILE_ALL (PROFILE_KIND(LEDGER_SITE_KINDS) - 1)

/* What each kind is called, as --kind has it. */
extern const char *const profile_kind_names[LEDGER_SITE_KINDS];

/* What the source itself calls a place. */
struct profile_label {
    const char *function; /* never NULL, nor is `file` */
    const char *file;
    uint64_t line;
    const char *module; /* NULL: built in */
    const char *pairs;  /* key:value pairs of its row as they stand, or "" */
};

struct profile_site {
    uint64_t place;  /* return address, as in the module's file; as it was at
                        run time when the module is unknown; of a source without
                        addresses the number of its row */
    uint32_t kind;   /* enum ledger_site_kind, not NONE */
    uint32_t module; /* index in modules[], or PROFILE_NO_MODULE */
    const struct profile_label *label; /* NULL: an address says what it is */
    uint32_t frame; /* what it adds to; of a row STACK_WHOLE: see stacks */
    struct profile_amounts amounts;
    struct lifetimes *lifetimes; /* NULL: nothing was sampled */
    bool is_estimate;   /* of a sampled ledger, and not exact all the same */
    bool is_inaccurate; /* the source says that its live values are wrong */
    bool lacks_totals;  /* only live values are known */
    bool is_unloaded;   /* the shared object that it is in is gone */
    bool is_torn;       /* counted in torn_sites; set by profile_finish() */
    bool is_sum;        /* of several sites, by site_sum() */
    bool is_left_out;   /* its names are not those that are asked for */
    int64_t
        slab_bytes; /* live ones of a kernel's slab pages, which the objects in
                           them are counted besides; set by profile_finish() */
};

/* The text of a notice is all of it. */
#define PROFILE_NOTICE_OF_SOURCE UINT32_MAX

struct profile_notice {
    uint32_t code; /* enum ledger_notice_code, or a newer writer's */
    uint64_t times;
    char *text; /* never NULL */
};

/* A slab or a heap that the program shares out itself. */
struct profile_region {
    struct ledger_region_view seen; /* but its name */
    uint32_t pid;                   /* of its process */
    uint32_t module; /* that it is in a variable of, or PROFILE_NO_MODULE */
    char *name;      /* never NULL */
};

/* What lay in memory, of one image alone. */
struct profile_resident {
    bool is_known;
    bool is_missing;               /* the ledger's writer had no time for it */
    struct ledger_resident latest; /* its sum is below 2^63 */
    struct ledger_resident most;   /* of all that were read; ns 0: none */
};

/* One process image. */
struct profile_image {
    uint32_t pid;
    uint32_t parent_pid;
    uint64_t start_ns;    /* CLOCK_REALTIME */
    uint64_t start_ticks; /* with the pid, names its process for ever */
    uint64_t end_ns;      /* 0: it was running still */
    uint32_t control;     /* enum ledger_control */
    uint32_t flags;       /* enum ledger_flags */
    uint32_t end;         /* enum ledger_end, or a newer writer's */
    uint32_t end_code;
    bool has_ended;
    char *program;      /* path; never NULL */
    char *command_line; /* arguments joined by one space; never NULL */
};

struct profile {
    struct arena *arena; /* of all that it owns, and of views of it */
    unsigned kinds; /* of sites that are kept; 0: heap and maps. Set before the
                       first */
    struct profile_image *images;
    size_t image_count;
    struct profile_module *modules;
    size_t module_count;
    struct profile_site *sites;
    size_t site_count;
    struct profile_notice *notices;
    size_t notice_count;
    struct profile_region *regions;
    size_t region_count;
    uint64_t counts[LEDGER_COUNT_COUNT];
    struct call_summary *calls; /* of a trace of calls alone; else NULL */

    struct history history;
    struct timeline timeline;
    struct given_names given; /* what the source calls its places */
    struct profile_resident resident;
    struct ledger_events_view events; /* likewise; offset 0: none are kept */
    bool has_residency; /* who pins which pages is known, of one image alone */
    struct ledger_residency unpinned; /* then: its number 0, */
    struct ledger_residency pinned;   /* and the sum of all others */
    bool has_sizes; /* of each image it is known how large blocks were */
    uint64_t sizes[LEDGER_SIZE_CLASSES]; /* allocations, by
                                            ledger_size_class() */

    /*
     * With has_stacks each site is the sum of its stacks. Of the peak one
     * image alone can tell: those of several were not at one time.
     */
    bool has_stacks;
    bool has_peaks;          /* each site's amounts at the peak are known */
    bool has_temporary;      /* likewise its temporary blocks */
    bool has_temporary_maps; /* ... and those of maps */
    bool has_grown;          /* blocks that realloc made grow */
    struct stacks stacks;
    struct text_pool labels; /* KEY=VALUE, each once; see profile_pair() */
    uint64_t peak_bytes;     /* of the heap; 0 unknown */
    uint64_t peak_most;      /* what samples showed at most; else peak_bytes */
    uint64_t peak_uncertainty; /* by which that may be too low, or too high */
    uint64_t peak_with_maps;   /* of heap and maps together; without maps the
                                same; 0 unknown */
    bool has_map_peaks;        /* peaks of sites are of both, too */
    uint64_t peak_copied;    /* live bytes when the sites' peaks were written */
    bool peak_is_live;       /* ... which is now */
    bool peak_is_difference; /* ... stored as what was more than now */
    size_t cut_stacks;       /* set by profile_finish() */

    /*
     * Where some image was sampled, accounts of the heap are estimates: see
     * estimate.h. 0: all is exact.
     */
    uint64_t sample_interval;        /* bytes between samples, on average */
    struct ledger_sampling sampling; /* the same of ledgers, and its budget */
    struct lifetimes lifetimes;      /* of the heap */

    struct profile_amounts heap; /* sums over the HEAP sites */
    struct profile_amounts maps; /* sums over the MAP sites */
    int64_t slab_bytes;          /* likewise */
    size_t torn_sites; /* rows of a running program whose live value was caught
                          below zero and is shown as 0 */
    size_t inaccurate_sites;
    bool lacks_totals;    /* some site does */
    uint64_t since_ns;    /* when the ledger was read that all is counted from,
                             so that what lived then is inherited; 0: none */
    uint64_t duration_ns; /* from the first image's start until it was read, or
                             the last one's end; 0 unknown */
    unsigned allocinfo_version; /* 1 or 2: from an allocinfo text; no images */
    struct allocinfo_remarks text; /* what is to be known of that text */

    struct index_table site_table; /* private, as is the next */
    struct sum_range ranges[5];    /* of numbers of an allocinfo text */
};

/* An empty profile. */
struct profile *profile_create(void);
void profile_destroy(struct profile *profile);

/*
 * Add an image, a module, a notice or a region, copying its texts. The number
 * of the module is an older one's if path and build-id are the same.
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
 * Before the first site of a source that knows stacks: what was added until now
 * becomes stacks of one frame.
 */
void profile_begin_stacks(struct profile *profile);

/*
 * Add the site's amounts to the row of its place, and to its stack if there are
 * any; its label and lifetimes are copied. The number of the stack, or else of
 * the row.
 */
uint32_t profile_add_site(struct profile *profile,
                          const struct profile_site *site);

/*
 * A pair of a label is a frame, outermost in its stacks, at a place without
 * module: the one to add, and the pair at a place, NULL: it is none.
 */
struct profile_place profile_place_of_pair(struct profile *profile,
                                           const char *pair);
const char *profile_pair(const struct profile *profile, uint32_t place);

/*
 * The innermost pair among a frame and its callers, and *frame its own caller;
 * NULL behind the last.
 */
const char *profile_next_pair(const struct profile *profile, uint32_t *frame);

/* Call a site something else. */
void profile_label_site(struct profile *profile, struct profile_site *site,
                        const struct profile_label *label);

/* What is said of one of the sites that a row is the sum of is said of it. */
void profile_join_marks(struct profile_site *sum,
                        const struct profile_site *site);

/* Work out live values and totals; once, after all has been added. */
void profile_finish(struct profile *profile);

/* `total` by the second, rounded, where the duration is known. */
uint64_t profile_rate(const struct profile *profile, uint64_t total);

/* Whether any image had not ended when its ledger was read. */
bool profile_is_running(const struct profile *profile);

/* Whether any site or image has amounts from before a fork. */
bool profile_has_inherited(const struct profile *profile);
