/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page_data.c - a profile as a head of JSON and columns of varints
 *
 * All stacks are one tree of calls by line. Figures of a stack stand at its
 * end, in a column for each known figure: a page of a million stacks is read
 * in one pass and packs well.
 */
#include "tool/web/page_tree.h"

#include <math.h>

enum { VERSION = 3, COLUMN_LIMIT = 96, NAME_SIZE = 40 };

/* A member of the items of an array. */
struct column {
    char name[NAME_SIZE];
    size_t count;
    const void *items;
    const uint32_t *order; /* of items; NULL: as they lie */
    size_t offset, stride;
    enum { WORD, LONG, REAL } type; /* 32 or 64 bits, or a double */
    bool is_delta; /* each number is written as what it is more than the last */
};

struct columns {
    struct column items[COLUMN_LIMIT];
    size_t count;
};

static struct column *add(struct columns *columns, const struct column *column,
                          const char *name, const char *more)
{
    struct column *new = &columns->items[columns->count++];

    *new = *column;
    snprintf(new->name, sizeof new->name, "%s%s", name, more);
    return new;
}

#define MEMBER(array, number, member)                                   \
    &(const struct column)                                              \
    {                                                                   \
        .count = (number), .items = (array), .stride = sizeof *(array), \
        .offset = offsetof(__typeof__(*(array)), member),               \
        .type = _Generic((array)->member, double                        \
                         : REAL, uint32_t                               \
                         : WORD, default                                \
                         : LONG)                                        \
    }

#define ADD(array, count, member, name) \
    add(columns, MEMBER(array, count, member), name, "")

static void add_tree(struct columns *columns, const struct page_tree *tree)
{
    const struct page_name *names = tree->names;
    const struct page_change *changes = tree->changes;
    const struct call_tree *calls = tree->calls;
    size_t count = tree->name_count;

    ADD(names, count, label, "name.label");
    ADD(names, count, function, "name.function");
    ADD(names, count, file, "name.file");
    ADD(names, count, module, "name.module");
    ADD(names, count, line, "name.line");
    ADD(names, count, flags, "name.flags");
    if (tree->subject->has_sources)
        ADD(names, count, source, "name.source");
    count = tree->node_count;
    ADD(tree->nodes, count, out, "node.out");
    ADD(tree->nodes, count, name, "node.name");
    count = calls->end_count;
    ADD(tree->ends, count, node, "end.node")->is_delta = true;
    ADD(calls->ends, count, folded, "end.folded")->order = tree->end_order;
    ADD(tree->ends, count, size, "end.size");
    add(columns,
        &(const struct column){ .count = tree->instant_count,
                                .items = tree->change_counts,
                                .stride = sizeof *tree->change_counts },
        "instant.changes", "");
    count = tree->change_count;
    ADD(changes, count, end, "change.end")->is_delta = true;
    ADD(changes, count, grown[0], "change.blocks");
    ADD(changes, count, grown[1], "change.bytes");
    ADD(changes, count, grown[2], "change.freed-blocks");
    ADD(changes, count, grown[3], "change.freed-bytes");
}

/* And how uncertain it is, of samples. */
static void add_figure(struct columns *columns, const struct page_tree *tree,
                       const char *name, unsigned which)
{
    const struct call_tree *calls = tree->calls;
    size_t count = calls->end_count;
    struct column *column = ADD(calls->ends, count, own[0], name);

    column->offset += which * sizeof(int64_t);
    column->order = tree->end_order;
    if (calls->errors == NULL)
        return;
    column = add(columns, MEMBER(calls->errors, count, own[0].variance), name,
                 ".variance");
    column->offset += which * sizeof(struct estimate_error);
    column->order = tree->end_order;
    column =
        add(columns, MEMBER(calls->errors, count, own[0].seen), name, ".seen");
    column->offset += which * sizeof(struct estimate_error);
    column->order = tree->end_order;
}

/* Add the figures that the profile has. */
static void add_figures(struct columns *columns, const struct page_tree *tree)
{
    const struct profile *profile = tree->subject->profile;
    const struct page_life *lives = tree->lives;
    size_t count = tree->calls->end_count;

    for (unsigned i = 0; i < MEASURE_COUNT; i++)
        if (measure_is_known(profile, (enum measure)i))
            add_figure(columns, tree, measure_name((enum measure)i), i);
    if (tree->inherited != NULL) {
        ADD(tree->inherited, count, blocks, "inherited-blocks");
        ADD(tree->inherited, count, bytes, "inherited-bytes");
    }
    count = tree->life_count;
    if (count == 0)
        return;
    ADD(lives, count, end, "life.end")->is_delta = true;
    ADD(lives, count, life_class, "life.class");
    ADD(lives, count, sum.blocks, "life.blocks");
    ADD(lives, count, sum.blocks_variance, "life.blocks.variance");
}

/* the amount of a stack on one side of a comparison */
struct side_sum {
    int64_t amount;
    struct estimate_error error;
};

/* what one process allocated and freed between two readings, at a stack */
struct turnover_sum {
    struct comparison_amounts of[2];
    struct estimate_error bytes[2], blocks[2];
};

/* Return a new array of sums by end, whose columns have the order of ends. */
#define SUMS(type) \
    arena_zeroed(tree->arena, tree->calls->end_count, sizeof(type))
#define ADD_SUMS(member, name, more)                                       \
    add(columns, MEMBER(sums, tree->calls->end_count, member), name, more) \
        ->order = tree->end_order

static uint32_t end_of(const struct page_tree *tree, unsigned side,
                       size_t stack)
{
    uint32_t node = tree->subject->comparison->stack_nodes[side][stack];

    return tree->calls->nodes[node].end;
}

static void add_side(struct columns *columns, const struct page_tree *tree,
                     unsigned side, enum measure measure)
{
    const struct profile *profile =
        tree->subject->comparison->sides[side].profile;
    struct side_sum *sums = SUMS(struct side_sum);
    char name[NAME_SIZE - 10];

    for (size_t i = 0; i < profile->stacks.stack_count; i++) {
        const struct profile_amounts *amounts =
            &profile->stacks.stacks[i].amounts;
        struct side_sum *sum = &sums[end_of(tree, side, i)];

        sum->amount = (int64_t)((uint64_t)sum->amount +
                                (uint64_t)measure_of(amounts, measure));
        estimate_error_add(&sum->error, measure_error(amounts, measure));
    }
    snprintf(name, sizeof name, "%s-%s", side == 0 ? "before" : "after",
             measure_name(measure));
    ADD_SUMS(amount, name, "");
    if (!tree->subject->comparison->is_sampled)
        return;
    ADD_SUMS(error.variance, name, ".variance");
    ADD_SUMS(error.seen, name, ".seen");
}

/* Add bytes and blocks freed between both readings, and their variances:
   blocks that are live in both cancel. */
static void add_turnover(struct columns *columns, const struct page_tree *tree)
{
    const struct named_profile *of = tree->subject->comparison->sides;
    const struct profile *const profiles[] = { of[0].profile, of[1].profile };
    struct turnover_sum *sums = SUMS(struct turnover_sum);

    for (unsigned side = 0; side < 2; side++) {
        const struct stacks *stacks = &profiles[side]->stacks;

        for (size_t i = 0; i < stacks->stack_count; i++) {
            struct comparison_amounts *sum = sums[end_of(tree, side, i)].of;

            turnover_add(&sum[0], &sum[1], &stacks->stacks[i].amounts,
                         side == 0 ? -1 : 1, profiles[side]);
        }
    }
    for (size_t i = 0; i < tree->calls->end_count; i++) {
        struct turnover_sum *sum = &sums[i];

        for (unsigned which = 0; which < 2; which++) {
            sum->bytes[which] = kept_error_read(sum->of[which].bytes_error);
            sum->blocks[which] = kept_error_read(sum->of[which].blocks_error);
        }
        turnover_share(&sum->bytes[0], &sum->bytes[1], profiles);
        turnover_share(&sum->blocks[0], &sum->blocks[1], profiles);
    }
    ADD_SUMS(of[1].bytes, "freed-bytes", "");
    ADD_SUMS(of[1].blocks, "freed-blocks", "");
    ADD_SUMS(bytes[1].variance, "freed-bytes", ".variance");
    ADD_SUMS(blocks[1].variance, "freed-blocks", ".variance");
    ADD_SUMS(bytes[0].variance, "allocated-bytes", ".variance");
    ADD_SUMS(blocks[0].variance, "allocated-blocks", ".variance");
}

/* Add the measures known on both sides, of which compared values are made. */
static void add_comparison(struct columns *columns,
                           const struct page_tree *tree)
{
    const struct stack_comparison *comparison = tree->subject->comparison;

    if (comparison->is_of_one_process && comparison->is_sampled)
        add_turnover(columns, tree);
    for (unsigned i = 0; i < 2 * MEASURE_COUNT; i++)
        if (i / 2 != MEASURE_GROWN &&
            stack_comparison_knows(comparison, (enum measure)(i / 2)))
            add_side(columns, tree, i % 2, (enum measure)(i / 2));
}

static void write_head(const struct page_tree *tree, FILE *out,
                       const struct columns *columns)
{
    struct json json = { .out = out };

    json_begin(&json, NULL, JSON_LINE_OBJECT);
    json_string(&json, "format", "tally page");
    json_unsigned(&json, "version", VERSION);
    json_string(&json, "writer", TALLY_VERSION);
    json_string(&json, "title", tree->subject->title);
    page_head_write(&json, tree->subject);
    json_begin(&json, "texts", JSON_ARRAY);
    for (size_t i = 0; i < tree->texts.count; i++)
        json_string(&json, NULL, tree->texts.texts[i]);
    json_end(&json);
    json_begin(&json, "columns", JSON_ARRAY);
    for (size_t i = 0; i < columns->count; i++) {
        json_begin(&json, NULL, JSON_OBJECT);
        json_string(&json, "name", columns->items[i].name);
        json_unsigned(&json, "count", columns->items[i].count);
        json_bool(&json, "delta", columns->items[i].is_delta);
        json_end(&json);
    }
    json_end(&json);
    json_end(&json);
}

static int64_t value_of(const struct column *column, size_t number)
{
    size_t place = column->order == NULL ? number : column->order[number];
    const void *at =
        (const char *)column->items + column->offset + place * column->stride;

    if (column->type == WORD)
        return *(const uint32_t *)at;
    if (column->type == LONG)
        return *(const int64_t *)at;
    return *(const double *)at < 0x1p62 ? (int64_t)ceil(*(const double *)at)
                                        : INT64_C(1) << 62;
}

/* Zigzag, so that small numbers below 0 are short, too; then LEB128. */
static void write_number(FILE *out, int64_t value)
{
    uint64_t bits = ((uint64_t)value << 1) ^ (uint64_t)(value >> 63);

    for (; bits >= 0x80; bits >>= 7)
        putc_unlocked((int)(bits & 0x7f) | 0x80, out);
    putc_unlocked((int)bits, out);
}

static void write_column(FILE *out, const struct column *column)
{
    int64_t last = 0;

    for (size_t i = 0; i < column->count; i++) {
        int64_t value = value_of(column, i);

        write_number(out, column->is_delta ? value - last : value);
        last = value;
    }
}

/* Figures are bytes and blocks in turn at first. */
static uint64_t find_size(const int64_t *figures)
{
    uint64_t size = 0;

    for (unsigned i = 0; i < MEASURE_TEMPORARY; i += 2)
        if (figures[i] > 0 && figures[i + 1] > 0)
            size = (uint64_t)(figures[i] / figures[i + 1]);
    return size;
}

static void take(int64_t *figure, uint64_t amount)
{
    *figure = (int64_t)((uint64_t)*figure - amount);
}

static int compare_ends(const void *left, const void *right)
{
    const struct page_change *a = left, *b = right;

    return (a->end > b->end) - (a->end < b->end);
}

/* Store differences: most stacks allocate one size, and figures are sums of
   changes, so most numbers become 0. Figures of a comparison stay. */
static void pack(struct page_tree *tree)
{
    struct page_change *change = tree->changes;
    struct call_end *own = tree->own.ends;

    for (size_t i = 0; i < tree->own.end_count; i++)
        tree->ends[i].size = find_size(own[tree->end_order[i]].own);
    for (size_t i = 0; i < tree->change_count; i++, change++) {
        int64_t *figures = own[tree->end_order[change->end]].own;
        uint64_t size = tree->ends[change->end].size, *grown = change->grown;

        for (unsigned unit = 0; unit < 2; unit++) {
            take(&figures[MEASURE_TOTAL_BLOCKS - unit], grown[unit]);
            take(&figures[MEASURE_LIVE_BLOCKS - unit],
                 grown[unit] - grown[unit + 2]);
        }
        grown[1] -= grown[0] * size;
        grown[3] -= grown[2] * size;
    }
    for (size_t i = 0; i < tree->own.end_count; i++) {
        int64_t *figures = own[tree->end_order[i]].own;

        for (unsigned which = 0; which < MEASURE_TEMPORARY; which += 2)
            take(&figures[which],
                 (uint64_t)figures[which + 1] * tree->ends[i].size);
    }
    change = tree->changes;
    for (size_t i = 0; i < tree->instant_count; i++) {
        if (tree->change_counts[i] > 0)
            qsort(change, tree->change_counts[i], sizeof *change, compare_ends);
        change += tree->change_counts[i];
    }
}

void page_data_write(FILE *out, const struct page_subject *subject)
{
    struct page_tree tree = { .subject = subject };
    struct columns columns = { .count = 0 };
    FILE *packed = gzip_stream_open(out);

    page_tree_open(&tree);
    pack(&tree);
    add_tree(&columns, &tree);
    if (subject->profile != NULL)
        add_figures(&columns, &tree);
    if (subject->comparison != NULL)
        add_comparison(&columns, &tree);
    write_head(&tree, packed, &columns);
    for (size_t i = 0; i < columns.count; i++)
        write_column(packed, &columns.items[i]);
    fclose(packed);
    page_tree_close(&tree);
}
