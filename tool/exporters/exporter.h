/* SPDX-License-Identifier: Apache-2.0 */
/* exporter.h - exporters, and their common parts */
#pragma once

#include "tool/model/compare/compare.h"

/*
 * Write a profile or a trace for another tool's viewer
 *
 * To add a format: write one file NAME.c that defines a struct exporter_NAME,
 * add a row to the table of exporters.c, and give it cases in tests/cli/export.
 */

struct export_job {
    const struct profile *profile; /* finished; NULL: export regions */
    const struct site_names *names;
    struct frame_names *frames; /* names of the profile's stacks, complete */
    bool has_stacks; /* the source has stacks; else each is one site */
    enum measure measure;
    bool has_sources;   /* show lines of source */
    bool has_inherited; /* count live bytes of inherited blocks */
    const struct page_process *processes;
    size_t process_count;
    const char *title;             /* name of the source */
    const struct regions *regions; /* of a trace; or NULL */
};

struct export_result {
    size_t negative;   /* places left out: negative value */
    uint64_t left_out; /* allocations beyond the format's limit */
    uint64_t too_many; /* too many blocks: nothing was written */
};

/* Outputs of a trace. */
struct export_files {
    FILE *out;
    FILE *metadata; /* with has_metadata, in a folder; or NULL */
};

struct exporter {
    const char *summary; /* one line for --help */
    /* NULL: not for profiles. Write errors stay in the FILE. */
    void (*write)(const struct export_job *job, FILE *out,
                  struct export_result *result);
    /*
     * NULL: not for traces. Read the trace and write it. Return 0, or -1 with
     * the reason; write nothing if the source is no trace.
     */
    int (*write_trace)(struct trace *trace, struct trace_names *names,
                       const struct export_files *files,
                       struct source_failure *failure);
    const char *suffix; /* suffix that the viewer expects; NULL: any */
    bool has_metadata;  /* output: folder of `stream` and `metadata` */
    bool is_by_blame;   /* sites are charged to callers: blame.c */
    bool is_page;       /* the page: also charged to callers, and for regions */
};

/* All exporters, and their names: `tally export --to NAME`. */
extern const struct exporter *const exporter_list[];
extern const struct word_list exporter_names;

extern const struct exporter exporter_pprof;

/* Export a finished profile to pprof; return the bytes, for free(). Profile and
   names of `job` are filled in. */
char *pprof_of(struct profile *profile, const struct symbols_search *search,
               struct export_job job, size_t *size);

/* Titles of a comparison, and whether a side lost data. */
struct comparison_title {
    const char *before;
    const char *after;
    bool is_lossy;
};

/*
 * Write a flame graph of growth, for any browser. A call's width is the larger
 * of both sides; growth is red and shrinkage blue, in proportion to its share.
 * Write errors stay in the FILE.
 */
void comparison_svg_write(FILE *out, const struct stack_comparison *comparison,
                          const struct comparison_title *title);

/*
 * Metrics of programs, for Prometheus and other readers of
 * OpenMetrics
 *
 *     struct metrics metrics = { 0 };
 *
 *     metrics_take(&metrics, profile, names, 20); // for each program
 *     metrics_write(&metrics, METRICS_OPEN, out);
 *     metrics_free(&metrics);
 *
 * Series stay stable: a site is a function in a module, without line and
 * address, which change with each build. The largest sites have series of their
 * own, and all others share one of live memory, so that the number of series is
 * bounded.
 */

/* Name, suffix of samples, type, unit and HELP. */
#define METRICS_LIST(X)                                                       \
    X(programs, "", gauge, , "Recorded programs that are running.")           \
    X(programs_left_out, "", gauge, ,                                         \
      "Least number of programs left out: their user has too many.")          \
    X(program, "_info", info, ,                                               \
      "Build of a program, and its accuracy: exact or estimates.")            \
    X(program_start_time_seconds, "", gauge, seconds,                         \
      "Start of the program, since 1970.")                                    \
    X(live_bytes, "", gauge, bytes, "Live bytes.")                            \
    X(live_blocks, "", gauge, blocks, "Live blocks.")                         \
    X(live_uncertainty_bytes, "", gauge, bytes,                               \
      "Half of the 95 % interval of an estimate; 0 if exact.")                \
    X(peak_bytes, "", gauge, bytes, "Peak of live bytes.")                    \
    X(allocated_bytes, "_total", counter, bytes, "Bytes allocated in total.") \
    X(allocated_blocks, "_total", counter, blocks,                            \
      "Blocks allocated in total.")                                           \
    X(freed_bytes, "_total", counter, bytes, "Bytes freed in total.")         \
    X(freed_blocks, "_total", counter, blocks, "Blocks freed in total.")      \
    X(resident_bytes, "", gauge, bytes,                                       \
      "Resident bytes at the last reading of tally record, by use; tally is " \
      "the recorder's own part.")                                             \
    X(sampling_cpu_seconds, "_total", counter, seconds,                       \
      "CPU time of sampling, with a budget (--overhead).")                    \
    X(sampling_capacity_seconds, "_total", counter, seconds,                  \
      "CPU time available, of which the budget is a share.")                  \
    X(losses, "_total", counter, , "Events lost or not recorded.")            \
    X(site_live_bytes, "", gauge, bytes,                                      \
      "Live bytes of the largest sites, and of all others.")                  \
    X(site_live_blocks, "", gauge, blocks,                                    \
      "Blocks of the sites, as for bytes.")                                   \
    X(site_allocated_bytes, "_total", counter, bytes,                         \
      "Bytes allocated in total by the largest sites.")                       \
    X(site_allocated_blocks, "_total", counter, blocks,                       \
      "Blocks of the sites, as for bytes.")                                   \
    X(serve_cpu_seconds, "_total", counter, seconds,                          \
      "CPU time of tally serve itself.")

enum metrics_family {
#define METRICS_FAMILY(name, ...) METRICS_##name,
    METRICS_LIST(METRICS_FAMILY)
#undef METRICS_FAMILY
        METRICS_FAMILIES
};

/* Metrics; starts as { 0 }, members are private. */
struct metrics {
    struct metrics_sample {
        enum metrics_family family;
        char *labels;
        double value;
    } * samples;
    size_t count;
};

/* Add a figure; the labels are valid between braces. */
void metrics_add(struct metrics *metrics, enum metrics_family family,
                 const char *labels, double value);

/* Add a program's finished profile, whose sites are charged to callers, with
   its `top` largest sites. */
void metrics_take(struct metrics *metrics, const struct profile *profile,
                  const struct site_names *names, size_t top);

enum metrics_form {
    METRICS_PROMETHEUS, /* text 0.0.4 */
    METRICS_OPEN,       /* OpenMetrics 1.0 */
};

const char *metrics_type(enum metrics_form form);

/* Write all metrics. Write errors stay in the FILE. */
void metrics_write(const struct metrics *metrics, enum metrics_form form,
                   FILE *out);

void metrics_free(struct metrics *metrics);

/*
 * The exported tree, from the outermost call on
 *
 * Nodes are functions or their lines if the source has stacks. If it has only
 * call sites, each site is a stack of up to three:
 *
 *     MODULE  FILE  FUNCTION:LINE
 *
 * MODULE is [NAME] for a shared object or a kernel's module, the executable's
 * name for its own sites and "built-in" in an allocinfo text. FILE is one frame
 * with any number of folders. FILE and the line are left out if they are
 * unknown.
 */

struct export_tree {
    struct call_tree tree;
    bool is_of_sites;        /* nodes are not calls */
    struct text_pool labels; /* private: labels of sites */
    const struct frame_name **made;
};

/* Build the tree of the heap's sites. The key applies to stacks. */
void export_tree_open(struct export_tree *tree, const struct export_job *job,
                      enum call_tree_key key);

/*
 * A flame graph as one static file of SVG, for any browser
 *
 * The file has no references and no script; the page (tool/web/page/) zooms
 * and searches. The root lies at the top, where a deep picture is seen first. A
 * frame is as wide as the weight of its node and all nodes below it in the
 * tree; children lie side by side, the heaviest first. The tooltip of a frame
 * has its name, line and amount. CSS makes the picture as wide as its window,
 * but never narrower than FLAME_WIDTH, and light or dark as the reader
 * prefers.
 */

/* Sizes in pixels, but for the last. */
enum {
    FLAME_WIDTH = 1200,
    FLAME_MARGIN = 12,
    FLAME_LEVEL_LIMIT = 400, /* deepest level that is drawn */
};

/* A flame graph. The caller sets the members up to `head`. */
struct flame {
    FILE *out;
    const struct call_tree *tree;
    const struct call_totals *totals; /* widths */
    /* Write the rest of the title's line and all up to the frames. */
    void (*write_title)(const struct flame *flame);
    /* Write a frame's text below the name, and its colour. */
    void (*write_text)(const struct flame *flame, uint32_t node);
    void (*write_color)(const struct flame *flame, uint32_t node);
    /* Write more about the picture's limits in the foot; NULL: nothing. */
    void (*write_foot)(const struct flame *flame, const char *separator);
    const void *context;
    unsigned head;     /* pixels above the frames */
    unsigned levels;   /* levels drawn */
    bool is_cut;       /* some levels are deeper */
    size_t too_narrow; /* frames too narrow to draw */
    uint64_t *starts;  /* private */
};

void flame_write(struct flame *flame);

/* Write a text shortened to the width: of a path the end is kept. */
void flame_write_label(FILE *out, const char *text, double width);

/* Write a warning in red at the right, beside the sum. */
void flame_write_warning(const struct flame *flame, const char *text);

/* Private: return the start of each node, for free(). */
uint64_t *flame_layout(const struct call_tree *tree,
                       const struct call_totals *totals);

/*
 * Write messages of Protocol Buffers
 *
 * The wire format of https://protobuf.dev/programming-guides/encoding: numbers
 * as varints, messages and packed lists behind their length.
 *
 *     struct protobuf message = { 0 };
 *
 *     protobuf_number(&message, 1, 42);
 *     write(message.bytes, message.size);
 *     protobuf_free(&message);
 */

/* A message under construction; starts as { 0 }. */
struct protobuf {
    unsigned char *bytes;
    size_t size;
    size_t capacity;
};

void protobuf_varint(struct protobuf *message, uint64_t value);
void protobuf_number(struct protobuf *message, unsigned field, uint64_t value);
void protobuf_bytes(struct protobuf *message, unsigned field, const void *bytes,
                    size_t size);

/* Free the message. Setting `size` to 0 empties it and keeps its memory. */
void protobuf_free(struct protobuf *message);

/*
 * Make up events that lead to a profile's sums
 *
 * The events are of a program with the same sums, not the real one. First all
 * blocks that are live neither at the peak nor at the end, one after the other,
 * with the temporary ones; then all blocks of the peak; then frees of those
 * that did not stay, and later blocks. So counts, bytes, peak, leaked and
 * temporary blocks of each stack are right; times and sizes of single blocks
 * mean nothing.
 */

/* State of the writer. The caller sets the first member and leaves the rest
   zero. */
struct heaptrack_events {
    FILE *stream;
    uint64_t left_out; /* allocations beyond the file's limit */
    uint64_t infos;    /* private, as the rest: `a` lines until now */
    uint64_t last;     /* last allocated block + 1; 0: a free came since */
    uint64_t held;     /* block that must still be freed + 1 */
};

/* Return the number of blocks that a file needs at least if that is too many,
   or 0. */
uint64_t heaptrack_events_too_many(const struct profile *profile);

/*
 * Write the `a`, `+`, `-` and `c` lines of all stacks. `calls` has the numbers
 * of their `t` lines.
 */
void heaptrack_events_write(struct heaptrack_events *events,
                            const struct profile *profile,
                            const uint64_t *calls);
