/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare.h - two sources, row by row, stack by stack or region by region
 *
 *     struct comparison comparison;
 *
 *     if (comparison_open(&comparison, value, sides) == 0) {
 *         comparison_sort(&comparison, 0);
 *         show(&comparison.rows[0]);
 *     }
 *     comparison_close(&comparison);
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tool/model/names/call_tree.h"
#include "tool/model/trace/trace_figures.h"
#include "tool/tables/tables.h"
#include "tool/text/text.h"

/* A value to compare: bytes, blocks, or both. */
struct compared_value {
    const char *name;
    enum measure bytes, blocks; /* MEASURE_COUNT: none */
    bool is_of_blocks;          /* blocks decide, not bytes */
    const char *said;           /* before figures: "at the peak " */
};

/* All values, by name; the first is the default. */
extern const struct compared_value compared_values[];
extern const struct word_list compared_value_words;

/* Return a measure of amounts; 0 for MEASURE_COUNT. */
static inline int64_t compared_of(const struct profile_amounts *amounts,
                                  enum measure measure)
{
    return measure == MEASURE_COUNT ? 0 : measure_of(amounts, measure);
}

/* Return the measure of the value that a profile lacks, or MEASURE_COUNT. */
enum measure compared_unknown(const struct compared_value *value,
                              const struct profile *profile);

/*
 * Rows are places: a file, a line, a function and a module, or a call of stacks
 * that are known on both sides. All sites of a place on both sides are one row.
 * Numbers of calls say which places are the same.
 */

/* A profile, which outlives the comparison, and its sites to compare. */
struct comparison_side {
    struct named_profile of;
    size_t *sites;
    size_t count;
    const uint32_t *calls; /* by site, its call on both sides, as in
                              struct side_calls; NULL unknown */
    size_t call_limit;     /* one more than the highest of both sides */
};

struct comparison_amounts {
    int64_t bytes;
    int64_t blocks;
    struct kept_error bytes_error, blocks_error; /* 0 in growth */
};

enum comparison_state {
    COMPARISON_BOTH, /* the place is on both sides */
    COMPARISON_NEW,
    COMPARISON_GONE,
};

struct comparison_row {
    const char *function; /* or MODULE+0xADDRESS; of the later side, as are the
                             next five */
    const char *file;     /* or path of the module, or "unknown" */
    uint64_t line;        /* first one; 0 unknown */
    uint64_t last_line;   /* equal to `line` unless several are summed */
    const char *module;   /* base name; NULL: built in, or the executable */
    const char *object;   /* base name of the file with the code, executables
                             too, or of a sum of files; NULL unknown */
    uint64_t line_before, line_after;   /* first lines; 0: none on that side */
    size_t places_before, places_after; /* more than 1: they are one row */
    enum comparison_state state;
    struct comparison_amounts before;
    struct comparison_amounts after;
    struct comparison_amounts growth;
    struct comparison_amounts allocated; /* between both sides if they are of
                                            the same processes, as is the next;
                                            see comparison.is_of_one_process */
    struct comparison_amounts freed;
    bool is_marked[2];  /* inaccurate, by side */
    bool is_inaccurate; /* marked on either side: values are wrong */
    bool is_unsure;     /* marked on one side alone: growth is wrong, too */
};

struct comparison {
    struct comparison_row *rows; /* all places, unchanged ones too */
    size_t count;
    struct comparison_row sum; /* amounts of all rows */
    size_t inaccurate_rows;    /* those whose growth is right */
    size_t unsure_rows;
    bool is_of_one_process;  /* or of one fork tree, read twice: samples of
                               blocks that are live in both cancel */
    struct text_pool labels; /* private: of functions without names */
};

enum { COMPARISON_E_TOO_LARGE = -2 }; /* a sum does not fit into 64 bits */

/* Return 0 or an error; call comparison_close() in either case. */
int comparison_open(struct comparison *comparison,
                    const struct compared_value *value,
                    const struct comparison_side sides[2]);
void comparison_close(struct comparison *comparison);

/* Order growth by size, up or down; of equals, growth before decrease. */
int comparison_by_change(int64_t a, int64_t b);

/* Add the amounts of a row: sums of any rows fit. */
void comparison_add(struct comparison_row *sum,
                    const struct comparison_row *row);

/* Add amounts to a side of a row: `side` 0 is the earlier one. */
void comparison_row_add(struct comparison_row *row, unsigned side,
                        const struct compared_value *value,
                        const struct profile_amounts *amounts,
                        const struct profile *profile, bool is_of_one_process);

/* Return the interval of the growth of a row of one process, or fork tree, read
   twice: of bytes or blocks, which are `measure`. */
struct interval comparison_turnover(const struct comparison_row *row,
                                    const struct profile *const profiles[2],
                                    bool is_bytes, enum measure measure);

/* Add what processes allocated, or inherited, and freed up to a reading; `sign`
   -1: take it away, as the reading is the earlier one. In place of what samples
   met, errors have the variance of live inherited blocks, and what it adds to
   that of a sum: turnover_share(). */
void turnover_add(struct comparison_amounts *allocated,
                  struct comparison_amounts *freed,
                  const struct profile_amounts *amounts, int sign,
                  const struct profile *profile);

/* Count samples in both errors as often as processes may share them, once both
   readings were added: a freed one in each earlier process, a new one also in
   those that began since. */
void turnover_share(struct estimate_error *allocated,
                    struct estimate_error *freed,
                    const struct profile *const profiles[2]);

/* Return the amount that decides: bytes or blocks. */
int64_t comparison_deciding(const struct compared_value *value,
                            const struct comparison_amounts *amounts);

/* Return growth in percent of the amount before; infinite if that is 0. */
double comparison_percent(int64_t before, int64_t growth);

/*
 * Sort rows by growth (0), blocks, before, after, function, file or module, the
 * number of a word. Largest amounts come first. Ties are broken by growth of
 * bytes, of blocks, then by file, line, function and module.
 */
extern const struct word_list comparison_orders;
void comparison_sort(struct comparison *comparison, unsigned order);

/*
 * Calls of two sides, numbered so that equal calls have equal numbers.
 *
 * Calls of one function to another are a group. Lines shift and addresses
 * change from one build to the next, so the order of a group's positions
 * decides: with as many on both sides, the first is the first, and so on. Two
 * kinds of positions pair where they are equal, and the order decides about the
 * rest alone: addresses in one build, and lines, unless all lines of the group
 * moved by the same number. If the rest differs in count, no match is certain,
 * and the rest is one call.
 *
 *     struct call_numbers numbers = { .profiles = { before, after } };
 *
 *     ARRAY_ADD(numbers.calls, numbers.call_count, call);
 *     call_numbers_find(&numbers);
 *     use(numbers.calls[0].number); // below numbers.count
 */

/* Texts by their numbers in the pool; INDEX_NONE: none. */
struct call_group {
    uint32_t function;
    uint32_t module;
    uint32_t callee; /* none: the allocation function; with lines the file */
};

struct numbered_call {
    struct call_group group;
    uint32_t number; /* set by call_numbers_find() */
    uint32_t side;   /* 0 or 1 */
    uint32_t module; /* index in the profile, or PROFILE_NO_MODULE */
    uint64_t position;
    bool has_line; /* the position is a line, not an address */
};

struct call_numbers {
    const struct profile *profiles[2];
    struct numbered_call *calls;
    size_t call_count;
    struct text_pool texts;
    uint32_t count; /* different numbers */
};

/* Number all calls that were added. */
void call_numbers_find(struct call_numbers *numbers);

/* Free calls and texts; counts stay. */
void call_numbers_free(struct call_numbers *numbers);

/*
 * The stacks of both sides as one tree from the outermost call on. A call that
 * is the same on both sides is one node. Names and lines are those of the later
 * side where it has the call.
 */

/*
 * The measures of the tree's nodes. WIDTH is the larger of both sides: calls
 * that are gone have a place beside new ones.
 */
enum {
    COMPARED_WIDTH = MEASURE_LIVE_BYTES,
    COMPARED_BEFORE = MEASURE_PEAK_BYTES,
    COMPARED_AFTER = MEASURE_TOTAL_BYTES,
    COMPARED_BLOCKS_BEFORE = MEASURE_PEAK_BLOCKS,
    COMPARED_BLOCKS_AFTER = MEASURE_TOTAL_BLOCKS,
};

/* Numbers of the calls of a side, so that each is looked up once. */
struct side_calls {
    uint32_t *sites; /* by site, its first stack's call to blame; INDEX_NONE
                        without stacks */
    struct label_texts *labels; /* private from here on; by label number */
    uint32_t *first_inlined; /* by place, its first in `inlined`, which has */
    uint32_t *inlined;       /* all but the innermost call of each place */
    size_t inlined_count;
    uint32_t *frames;    /* by frame, its caller's innermost call */
    uint32_t *callers;   /* by stack, its frame's innermost call */
    uint32_t *innermost; /* by stack, the innermost call */
    size_t count;        /* of the last three, which are one array */
};

struct stack_comparison {
    const struct compared_value *value;
    struct named_profile sides[2];
    struct side_calls calls[2];
    struct call_numbers numbers;
    struct call_tree tree;
    bool is_of_one_process; /* both sides are readings of one, or of one tree */
    bool is_sampled;        /* either side is */
    uint32_t *changed; /* nodes where stacks end that hold more or less, the
                          largest change of bytes first */
    size_t changed_count;
    uint32_t *stack_nodes[2]; /* by side and stack, the node it ends at */
    const struct frame_name **names; /* private: by the number of a call */
};

/* Compare two named profiles, which must outlive the comparison. */
void stack_comparison_open(struct stack_comparison *comparison,
                           const struct compared_value *value,
                           const struct named_profile sides[2]);
void stack_comparison_close(struct stack_comparison *comparison);

/* Return the growth in bytes or, of a value without bytes, in blocks. */
int64_t stack_comparison_growth(const struct stack_comparison *comparison,
                                uint32_t node);

/* Return true if both sides have this measure. */
bool stack_comparison_knows(const struct stack_comparison *comparison,
                            enum measure measure);

/* Return the node of the call to blame for stacks that end at the node. */
uint32_t stack_comparison_blamed(const struct stack_comparison *comparison,
                                 uint32_t node);

/*
 * Regions are the same if kind and name are: addresses change with every build
 * and start. Several regions of one name pair in the order of addresses. The
 * rest pairs by equal addresses.
 */

/* Sums of regions, and of differences. */
struct region_amounts {
    int64_t used; /* at the end */
    int64_t peak;
};

struct region_pair {
    const struct region *before; /* NULL: it is new */
    const struct region *after;  /* NULL: it is gone */
    struct region_amounts growth;
};

struct region_comparison {
    struct region_pair *pairs; /* largest change first */
    size_t count;
    struct region_amounts before, after, growth;
};

/* Compare finished regions, which must outlive the comparison. */
void region_comparison_open(struct region_comparison *comparison,
                            const struct regions *before,
                            const struct regions *after);
void region_comparison_close(struct region_comparison *comparison);
