/* SPDX-License-Identifier: Apache-2.0 */
/* page_tree.h - parts of a page's data */
#pragma once

#include "tool/render/render.h"
#include "tool/web/page_subject.h"

/*
 * A page's stacks: names, one tree of calls by line, and figures
 * at their ends, each an array for the columns of page_data.c
 *
 * If no call has a caller, as in allocinfo of a kernel, modules and files stand
 * in for callers.
 */

/* A call as people know it; texts by number, 0 none. */
struct page_name {
    uint32_t label;
    uint32_t function; /* without type and arguments, if that is shorter */
    uint32_t file;
    uint32_t module;
    uint32_t line;
    uint32_t flags; /* docs/page-format.md */
    uint32_t source;
};

struct page_node {
    uint32_t name;
    uint32_t out; /* steps from the node before to its caller */
};

/* Beside its figures: those of `calls`, beyond what page_data.c takes off. */
struct page_end {
    uint32_t node;
    uint64_t size; /* about, of a block */
};

/* When a child was forked. */
struct page_inherited {
    uint64_t blocks, bytes;
};

/* growth at the end of a stack, at one data point */
struct page_change {
    uint32_t end;
    uint64_t grown[LEDGER_GROWN];
};

/* blocks by lifetime */
struct page_life {
    uint32_t end;
    uint32_t life_class; /* LEDGER_LIFE_CLASSES: it lives */
    struct lifetime_sum sum;
};

/* Begins as zero but for what it is of. */
struct page_tree {
    struct arena *arena; /* of all but `own` and `sources` */
    const struct page_subject *subject;
    const struct call_tree *calls; /* whose ends are the page's */
    struct text_pool texts;        /* number 0 is "" */
    struct page_name *names;
    size_t name_count;
    struct page_node *nodes;
    size_t node_count;
    struct page_end *ends;            /* as many as those of `calls` */
    struct page_inherited *inherited; /* by end; NULL: none */
    struct page_change *changes;
    size_t change_count;
    uint32_t *change_counts; /* of each instant */
    size_t instant_count;
    struct page_life *lives;
    size_t life_count;
    uint32_t *end_order; /* numbers in `calls` of ends */

    struct call_tree own; /* private, as is the rest; without nodes */
    struct source_lines sources;
    struct index_table name_table;
    uint32_t *end_numbers; /* of ends, by those in `calls` */
    size_t end_count;      /* from 1 */
    uint32_t depth;        /* of the last node */
    uint32_t call_limit;   /* of call numbers in the tree */
};

void page_tree_open(struct page_tree *tree);
void page_tree_close(struct page_tree *tree);

/* Instants that a page shows: until the one that its profile is of. */
static inline size_t page_instants(const struct history *history)
{
    return history->is_chosen ? history->chosen + 1 : history->count;
}

/*
 * Members of the head of a page's data: docs/page-format.md
 */

/* Write all of the subject but its stacks. */
void page_head_write(struct json *json, const struct page_subject *subject);
