/* SPDX-License-Identifier: Apache-2.0 */
/* load.h - sources of commands, loaded */
#pragma once

#include "tool/commands/options/command.h"
#include "tool/session/images/images.h"
#include "tool/web/server.h"

/*
 * Process images of a recording, and the choice of one
 *
 *     struct process_tree tree;
 *
 *     process_tree_open(&tree, "a.tally", true);
 *     chosen = process_tree_choose(&tree, NULL); // highest peak
 *     for (image = tree.root; image != NULL; image = process_tree_next(image))
 *         print(image->depth, image->program);
 *     process_tree_close(&tree);
 *
 * The parent of an image is the one that it replaced, or that started its
 * process.
 */

struct process_image {
    char *path;
    uint32_t pid, generation; /* number of the pid's earlier images */
    bool is_readable;         /* the fields below are known */
    bool is_running;
    uint32_t parent_pid;
    char *program;
    char *called;       /* argv[0] */
    char *command_line; /* arguments joined by one space, without the program's
                           folder */
    bool is_attached;   /* tally attach was given this process */
    uint64_t start_ns, end_ns;
    uint64_t peak;  /* bytes of the heap and resident maps */
    uint64_t total; /* bytes allocated from the heap */
    int64_t live;
    size_t place; /* number of images with a higher peak */
    size_t depth; /* in the tree, 0 for a root */
    struct profile_notice *notices;
    size_t notice_count;
    uint64_t unrecorded_forks;
    struct process_image *parent, *child, *next;
};

struct process_tree {
    struct process_image *images; /* the source, then others by pid */
    size_t count;                 /* 0: a single image, which need not be
                                     chosen */
    struct process_image *root;   /* first of the roots */
};

void process_tree_open(struct process_tree *tree, const char *path,
                       bool is_wanted);

/* Open a tree of live processes: `root` and its descendants or, without an
   offset, its whole session. Paths are PIDs. */
void process_tree_open_live(struct process_tree *tree,
                            const struct live_ledger *root, bool is_wanted);
void process_tree_close(struct process_tree *tree);

/* Return the next image in preorder, or NULL. */
struct process_image *process_tree_next(const struct process_image *image);

/* Return the image with the highest peak among those that `wish` names: PID,
   PID-GENERATION, a glob of programs, or NULL for the attached process or, if
   there is none, all. Return NULL if none. */
const struct process_image *process_tree_choose(const struct process_tree *tree,
                                                const char *wish);

/* Add the notices of all images but `chosen` to its profile, and note if it was
   replaced by exec. */
void process_tree_complete(const struct process_tree *tree,
                           const struct process_image *chosen,
                           struct profile *profile);

/* Write "123", or "123-2" after two execs. */
enum { PROCESS_NUMBER_SIZE = 32 };
const char *process_number(char out[PROCESS_NUMBER_SIZE],
                           const struct process_image *image);

/*
 * Load the source that the user names into a finished profile
 *
 *     struct source_load load = { .name = "a.tally", .elf = &options.of.elf };
 *     int status = source_load_open(&load);
 *
 *     if (status == COMMAND_DONE)
 *         status = source_load_sum(&load);
 *     if (status == COMMAND_DONE)
 *         status = source_load_profile(&load);
 *     if (status == COMMAND_DONE)
 *         show(load.profile);
 *     source_load_close(&load);
 *
 * A name is a file, "-" for standard input, or the PID of a live program; a
 * file called NUMBER is named ./NUMBER.
 *
 * Functions return COMMAND_DONE, or COMMAND_USAGE after a complaint.
 */

struct page_process;

struct source_load {
    const char *name;             /* as given by the user */
    const struct elf_option *elf; /* program of a trace */
    bool has_all;                 /* load all images of the recording */
    const char *process;          /* --process; NULL: the image with the highest
                                     peak */
    bool is_exact;                /* load the named file, even if others have
                                     higher peaks */
    bool is_silent;               /* do not tell which image was chosen */
    unsigned kinds;               /* as in struct profile */
    struct history_wish at;       /* wanted instant */
    uint64_t older_ns;            /* ns between two looks at a process, if
                                     not 0 */
    struct source earlier;        /* private: first look */
    const char *since;            /* earlier ledger to subtract, or NULL */
    struct source source;         /* bytes, until the profile is loaded */
    bool has_residency; /* attribute pages of a live program to sites */
    bool is_trace;
    struct process_tree processes;      /* of the recording, if it has several
                                           images */
    const struct process_image *chosen; /* chosen image, or NULL */
    struct trace_sum sum;               /* program of a trace */
    struct profile *profile;            /* NULL until it is loaded */
};

/* Return the load of a name with the options of all sources. */
struct source_load source_load_of(const char *name,
                                  const struct source_options *of);

/* Open the source. If a recording has several images, one is chosen and its
   path becomes the name. Traces refuse `has_all`. */
int source_load_open(struct source_load *load);

/* Read all of a trace; do nothing for other sources. */
int source_load_sum(struct source_load *load);

/* Load and finish the profile, of a trace that of its calls; free the source's
   bytes. */
int source_load_profile(struct source_load *load);

/* Return the images of the recording for a page. The caller frees the array;
   its texts live until source_load_close(). */
struct page_process *source_load_processes(const struct source_load *load,
                                           size_t *count);

void source_load_close(struct source_load *load);

/* Choose the same program in two recordings, before either is opened. */
void source_load_choose_same(struct source_load sources[2]);

/*
 * Open the images of a recording, and choose one by `wish`; NULL: the named
 * process, or the image with the highest peak. A process stands for itself and
 * its descendants; a tally record, or any process with is_session, for all that
 * is recorded.
 */
int process_tree_of(const char *name, const char *wish, bool is_session,
                    struct process_tree *tree,
                    const struct process_image **chosen);

bool is_pid(const char *name);

/* Call live_ledger_find_all(), and print a line, once, if a user has more. */
void find_programs(live_program_fn *tell, void *context);

/* Open the ledger of a process. */
int open_process(const char *name, struct live_ledger *ledger);

/* Add a source that is no trace to a profile. */
int open_profile(const char *name, struct profile *profile);

/* Add all other images of the recording: files beside it, or the live
   descendants of a process. */
int open_others(const char *name, struct profile *profile);
int open_below(const struct live_ledger *ledger, struct profile *profile);

/* Check, after the last event, that there was one. An empty file may be a trace
   without calls: print a line that says so. */
int trace_check(const char *name, const struct trace_counts *counts);

/* Complain about an option for call sites. */
int trace_refuse_option(const char *name);

/* Print losses on standard error, if any. */
void trace_tell_losses(const char *name, const struct trace_counts *counts);

/* The page of a source or of a live program */

/* Let each load return its memory, and use no huge pages, which would hold the
   unused ends of tables; before the first load. */
void live_page_take_little(void);

/* In a forked child: allow huge pages again to a program that it runs. */
void live_page_take_as_before(void);

struct live_page {
    struct source_options of; /* its search keeps symbols between loads */
    const char *source;
    bool has_sources;
    bool is_shown;                   /* private: the page was written before */
    char shown[PROCESS_NUMBER_SIZE]; /* private: number of the chosen process;
                                        "": only one */
    unsigned missed; /* private: looks in a row without a ledger */
};

/* Write the page's data: see struct web_content. Messages are not repeated. */
enum web_state live_page_write(void *live_page, FILE *out);
