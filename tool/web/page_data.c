/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page_data.c - a profile as a head of JSON and columns of varints
 *
 * All stacks are one tree of calls by line. What a stack holds stands at its
 * end, in a column for each figure that is known, so that a page of a million
 * stacks is read in one pass and packs well.
 */
#include "tool/web/page_data.h"

#include <stdlib.h>
#include <string.h>

#include "tool/model/names/call_tree.h"
#include "tool/model/names/fold.h"
#include "tool/tables/array.h"
#include "tool/tables/gzip_stream.h"
#include "tool/tables/text_pool.h"
#include "tool/web/page_head.h"

enum { VERSION = 1 };

enum name_flags { NAME_FOLDED = 1, NAME_MAP = 2, NAME_CUT = 4, NAME_PAIR = 8 };

/* A call as people know it; texts by number, 0 none. */
struct page_name {
    uint32_t label;
    uint32_t function; /* without type and arguments, if that is shorter */
    uint32_t file;
    uint32_t module;
    uint32_t line;
    uint32_t flags;
};

/* What grew at a stack's end, at an instant. */
struct page_change {
    uint32_t end;
    uint64_t grown[LEDGER_GROWN];
};

struct page {
    const struct page_subject *subject;
    const struct call_tree *tree;
    struct text_pool texts; /* number 0 is "" */
    struct page_name *names;
    size_t name_count;
    struct index_table name_table;
    uint32_t call_limit;  /* of call numbers in the tree */
    bool *pairs;          /* calls that are labels; NULL: none is */
    uint32_t *node_names; /* of each node */
    uint32_t *end_nodes;  /* of each end; 0 is none */
    struct page_change *changes;
    size_t change_count;
    size_t instant_count;
    size_t *change_counts; /* of each instant */
};

struct column {
    const char *name;
    size_t count;
    int64_t (*value)(const struct page *page, size_t number, unsigned which);
    bool is_delta; /* each number is written as what it is more than the last */
    unsigned which;
};

static uint32_t text_of(struct page *page, const char *text)
{
    return text == NULL ? 0 : text_pool_add(&page->texts, text);
}

/* What stands for a map is a call, too, and so is a label. */
static unsigned flags_of(const struct page *page, const struct frame_name *name)
{
    for (unsigned i = LEDGER_SITE_MAP; i < LEDGER_SITE_KINDS; i++)
        if (strcmp(name->label, frame_kinds[i].label) == 0)
            return NAME_MAP | NAME_FOLDED;
    if (name == &frame_truncated)
        return NAME_CUT;
    if (page->pairs != NULL && page->pairs[name->call_number])
        return NAME_PAIR;
    return name->fold != FOLD_NOT ? NAME_FOLDED : 0;
}

static uint32_t name_of(struct page *page, const struct frame_name *name)
{
    const struct site_name *of = &name->name;
    unsigned flags = flags_of(page, name);
    char *function = of->function == NULL || flags > NAME_FOLDED
                         ? NULL
                         : fold_short_name(of->function);
    struct page_name known = {
        .label = text_of(page, name->label),
        .function = text_of(page, function),
        .file = text_of(page, of->file),
        .module = text_of(page, of->module),
        .line = of->line > UINT32_MAX ? 0 : (uint32_t)of->line,
        .flags = flags,
    };

    free(function);
    return INDEX_ADD(&page->name_table, sizeof known, page->names,
                     page->name_count, &known);
}

/* Each call is looked at once. */
static void name_nodes(struct page *page)
{
    const struct call_tree *tree = page->tree;
    uint32_t *known =
        memory_zeroed(page->call_limit + UINT64_C(1), sizeof *known);

    page->node_names = memory_zeroed(tree->count, sizeof *page->node_names);
    page->end_nodes = memory_zeroed(tree->end_count, sizeof *page->end_nodes);
    for (uint32_t i = 1; i < tree->count; i++) {
        const struct frame_name *name = tree->nodes[i].name;
        bool is_cut = name == &frame_truncated; /* which has no number */
        uint32_t *slot =
            &known[is_cut ? page->call_limit : tree->nodes[i].number];

        if (*slot == 0)
            *slot = name_of(page, name) + 1;
        page->node_names[i] = *slot - 1;
        if (tree->nodes[i].end != 0)
            page->end_nodes[tree->nodes[i].end] = i;
    }
    free(known);
}

/* Calls of the profile that are labels. */
static void find_pairs(struct page *page)
{
    const struct page_subject *subject = page->subject;

    page->pairs = memory_zeroed(page->call_limit + UINT64_C(1), 1);
    for (uint32_t i = 0; i < subject->profile->stacks.place_count; i++) {
        size_t count;
        const struct frame_name *names =
            frame_names_find(subject->frames, i, &count);

        if (profile_pair(subject->profile, i) != NULL)
            page->pairs[names->call_number] = true;
    }
}

static void add_changes(struct page *page)
{
    const struct history *history = &page->subject->profile->history;

    page->instant_count = history->count;
    page->change_counts =
        memory_zeroed(history->count + 1, sizeof *page->change_counts);
    for (uint32_t i = 0; i < history->count; i++) {
        struct ledger_run run =
            ledger_run_of(history->runs, history->instants, i);
        struct ledger_change change;

        while (ledger_run_next(&run, &change) > 0) {
            uint32_t row = history_find(history, change.site)->row;
            struct page_change own = { 0 };

            if (row == UINT32_MAX)
                continue;
            own.end = page->tree->nodes[page->tree->stack_nodes[row]].end;
            ledger_change_add(&change, own.grown);
            ARRAY_ADD(page->changes, page->change_count, own);
            page->change_counts[i]++;
        }
    }
}

enum name_part { LABEL, FUNCTION, FILE_NAME, MODULE, LINE, FLAGS };

static int64_t name_part(const struct page *page, size_t number, unsigned which)
{
    const struct page_name *name = &page->names[number];
    const uint32_t parts[] = { name->label,  name->function, name->file,
                               name->module, name->line,     name->flags };

    return parts[which];
}

static int64_t node_parent(const struct page *page, size_t number,
                           unsigned which)
{
    (void)which;
    return page->tree->nodes[number].parent;
}

static int64_t node_name(const struct page *page, size_t number, unsigned which)
{
    (void)which;
    return page->node_names[number];
}

static int64_t end_node(const struct page *page, size_t number, unsigned which)
{
    (void)which;
    return page->end_nodes[number];
}

/* `which` is an enum measure. */
static int64_t end_figure(const struct page *page, size_t number,
                          unsigned which)
{
    return page->tree->ends[number].own[which];
}

static int64_t instant_changes(const struct page *page, size_t number,
                               unsigned which)
{
    (void)which;
    return (int64_t)page->change_counts[number];
}

static int64_t change_end(const struct page *page, size_t number,
                          unsigned which)
{
    (void)which;
    return page->changes[number].end;
}

/* In the order of struct ledger_counter. */
static int64_t change_grown(const struct page *page, size_t number,
                            unsigned which)
{
    return (int64_t)page->changes[number].grown[which];
}

enum { FIXED_COLUMNS = 15, COLUMN_LIMIT = FIXED_COLUMNS + MEASURE_COUNT };

/* Figures of a comparison. */
static const struct {
    const char *name;
    unsigned measure;
} compared[] = {
    { "before-bytes", COMPARED_BEFORE },
    { "after-bytes", COMPARED_AFTER },
    { "before-blocks", COMPARED_BLOCKS_BEFORE },
    { "after-blocks", COMPARED_BLOCKS_AFTER },
};

/* Those that there are. */
static size_t list_columns(const struct page *page,
                           struct column columns[COLUMN_LIMIT])
{
    const struct column fixed[FIXED_COLUMNS] = {
        { "name.label", page->name_count, name_part, false, LABEL },
        { "name.function", page->name_count, name_part, false, FUNCTION },
        { "name.file", page->name_count, name_part, false, FILE_NAME },
        { "name.module", page->name_count, name_part, false, MODULE },
        { "name.line", page->name_count, name_part, false, LINE },
        { "name.flags", page->name_count, name_part, false, FLAGS },
        { "node.parent", page->tree->count, node_parent, true, 0 },
        { "node.name", page->tree->count, node_name, false, 0 },
        { "end.node", page->tree->end_count, end_node, true, 0 },
        { "instant.changes", page->instant_count, instant_changes, false, 0 },
        { "change.end", page->change_count, change_end, true, 0 },
        { "change.blocks", page->change_count, change_grown, false, 0 },
        { "change.bytes", page->change_count, change_grown, false, 1 },
        { "change.freed-blocks", page->change_count, change_grown, false, 2 },
        { "change.freed-bytes", page->change_count, change_grown, false, 3 },
    };
    const struct profile *profile = page->subject->profile;
    size_t count = FIXED_COLUMNS, ends = page->tree->end_count;

    memcpy(columns, fixed, sizeof fixed);
    for (unsigned i = 0; profile != NULL && i < MEASURE_COUNT; i++) {
        if (measure_is_known(profile, (enum measure)i))
            columns[count++] = (struct column){ measure_name((enum measure)i),
                                                ends, end_figure, false, i };
    }
    for (size_t i = 0; page->subject->comparison != NULL &&
                       i < sizeof compared / sizeof compared[0];
         i++)
        columns[count++] = (struct column){ compared[i].name, ends, end_figure,
                                            false, compared[i].measure };
    return count;
}

static void write_head(const struct page *page, FILE *out,
                       const struct column *columns, size_t column_count)
{
    struct json json = { .out = out };

    json_begin(&json, NULL, JSON_LINE_OBJECT);
    json_string(&json, "format", "tally page");
    json_unsigned(&json, "version", VERSION);
    json_string(&json, "writer", TALLY_VERSION);
    json_string(&json, "title", page->subject->title);
    page_head_write(&json, page->subject);
    json_strings(&json, "texts", JSON_ARRAY, page->texts.texts,
                 page->texts.count);
    json_begin(&json, "columns", JSON_ARRAY);
    for (size_t i = 0; i < column_count; i++) {
        json_begin(&json, NULL, JSON_OBJECT);
        json_string(&json, "name", columns[i].name);
        json_unsigned(&json, "count", columns[i].count);
        json_bool(&json, "delta", columns[i].is_delta);
        json_end(&json);
    }
    json_end(&json);
    json_end(&json);
}

/* Zigzag, so that small numbers below 0 are short, too; then LEB128. */
static void write_number(FILE *out, int64_t value)
{
    uint64_t bits = ((uint64_t)value << 1) ^ (uint64_t)(value >> 63);

    for (; bits >= 0x80; bits >>= 7)
        putc_unlocked((int)(bits & 0x7f) | 0x80, out);
    putc_unlocked((int)bits, out);
}

static void write_column(const struct page *page, FILE *out,
                         const struct column *column)
{
    int64_t last = 0;

    for (size_t i = 0; i < column->count; i++) {
        int64_t value = column->value(page, i, column->which);

        write_number(out, column->is_delta ? value - last : value);
        last = value;
    }
}

static void write_page(const struct page *page, FILE *out)
{
    struct column columns[COLUMN_LIMIT];
    size_t count = list_columns(page, columns);

    write_head(page, out, columns, count);
    for (size_t i = 0; i < count; i++)
        write_column(page, out, &columns[i]);
}

/* Of a profile all stacks; of a comparison those of both sides. */
static void make_tree(struct page *page, struct call_tree *own)
{
    const struct page_subject *subject = page->subject;

    page->tree = own;
    call_tree_make_root(own);
    if (subject->comparison != NULL) {
        page->tree = &subject->comparison->tree;
        page->call_limit = subject->comparison->matching.id_count + 1;
    } else if (subject->profile != NULL) {
        page->call_limit = frame_names_call_limit(subject->frames);
        own->stack_nodes = memory_zeroed(
            subject->profile->stacks.stack_count + 1, sizeof *own->stack_nodes);
        call_tree_add_from_roots(own);
        find_pairs(page);
    }
    name_nodes(page);
    if (subject->profile != NULL)
        add_changes(page);
}

void page_data_write(FILE *out, const struct page_subject *subject)
{
    struct page page = { .subject = subject };
    struct call_tree own = { .names = subject->frames,
                             .profile = subject->profile,
                             .key = CALL_TREE_BY_LINE };
    FILE *packed = gzip_stream_open(out);

    text_pool_add(&page.texts, "");
    make_tree(&page, &own);
    write_page(&page, packed);
    fclose(packed);
    free(own.stack_nodes);
    call_tree_close(&own);
    text_pool_free(&page.texts);
    index_table_free(&page.name_table);
    free(page.names);
    free(page.pairs);
    free(page.node_names);
    free(page.end_nodes);
    free(page.changes);
    free(page.change_counts);
}
