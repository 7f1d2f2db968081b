/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_tree_text.c - a tree of calls as lines
 */
#include "tool/render/render.h"

#include <inttypes.h>

enum {
    SHARE_WIDTH = 15,    /* "      100.0 %  " */
    ESTIMATE_WIDTH = 19, /* "100.0 ( 97-100) %  " */
    INDENT = 2,
    DEEPEST_INDENT = 24,
    LIGHT_SHOWN = 3,
    LEAST_PLACE = 18, /* columns of FILE:LINE that are always shown */
};

static const char ellipsis[] = "\xe2\x80\xa6";

/* "FILE:LINE", the module where that is not known, or nothing. */
static char *make_place(const struct frame_name *name)
{
    if (name->name.file != NULL)
        return memory_print("%s:%" PRIu64, name->name.file, name->name.line);
    return memory_text(name->name.module != NULL && name->name.function != NULL
                           ? base_name(name->name.module)
                           : "");
}

void call_tree_text_write_name(const struct frame_name *name, unsigned width)
{
    const char *brackets = name->name.file != NULL ? "()" : "[]";
    OWNED char *label =
        memory_or_exit(escape_copy(ESCAPE_TERMINAL, name->label));
    OWNED char *raw = make_place(name);
    OWNED char *place = memory_or_exit(escape_copy(ESCAPE_TERMINAL, raw));
    unsigned label_width, place_width;

    label_width = terminal_columns(label);
    place_width = terminal_columns(place);
    if (place_width > 0 && width > 3 + LEAST_PLACE) {
        unsigned most =
            width - 3 -
            (label_width < width - 3 - LEAST_PLACE ? label_width
                                                   : width - 3 - LEAST_PLACE);

        if (place_width > most)
            place_width = most;
        terminal_write_cut(stdout, label, width - 3 - place_width, ellipsis,
                           false);
        printf(" %c", brackets[0]);
        terminal_write_cut(stdout, place, place_width, ellipsis, true);
        putchar(brackets[1]);
    } else {
        terminal_write_cut(stdout, label, width, ellipsis, false);
    }
    putchar('\n');
}

static unsigned share_width(const struct call_tree_text *text)
{
    return text->totals->errors == NULL ? SHARE_WIDTH : ESTIMATE_WIDTH;
}

static double percent(const struct call_tree_text *text, uint64_t weight,
                      uint32_t whole)
{
    return (double)weight * 100 / (double)text->totals->weights[whole];
}

static void write_no_share(const struct call_tree_text *text, unsigned indent)
{
    printf("%*s", (int)(share_width(text) + indent), "");
}

/* Write the share of `weight` in that node. */
static void write_share(const struct call_tree_text *text, uint64_t weight,
                        double variance, uint32_t whole, unsigned indent)
{
    const struct call_totals *totals = text->totals;

    if (totals->errors == NULL) {
        printf("%11.1f %%  ", percent(text, weight, whole));
    } else {
        struct share share = share_of_sampled(
            text->tree->profile, totals->measure, (double)weight, variance,
            (double)totals->weights[whole] - (double)weight,
            totals->errors[whole].variance - variance);

        printf("%5.1f (%3.0f-%3.0f) %%  ", share.value * 100,
               share.interval.low * 100, share.interval.high * 100);
    }
    printf("%*s", (int)indent, "");
}

static void write_node(const struct call_tree_text *text, uint32_t node,
                       bool has_share, uint32_t whole, unsigned indent)
{
    const struct call_totals *totals = text->totals;
    unsigned used = share_width(text) + indent;
    unsigned width = text->width > used + 30 ? text->width - used : 30;

    if (has_share)
        write_share(text, totals->weights[node],
                    totals->errors == NULL ? 0 : totals->errors[node].variance,
                    whole, indent);
    else
        write_no_share(text, indent);
    call_tree_text_write_name(text->tree->nodes[node].name, width);
}

static void write_children(const struct call_tree_text *text, uint32_t node,
                           uint32_t whole, unsigned indent);

/* The child that has all of a node's weight, or 0. */
static uint32_t only_child(const struct call_totals *totals, uint32_t node)
{
    uint32_t child = totals->children[totals->first_child[node]];

    return totals->child_counts[node] == 1 &&
                   totals->weights[child] == totals->weights[node]
               ? child
               : 0;
}

/* A call and all that lies above it, as long as there is one way. */
static void write_chain(const struct call_tree_text *text, uint32_t node,
                        uint32_t whole, unsigned indent)
{
    const struct call_totals *totals = text->totals;
    bool has_share = true;
    unsigned lines = 0;
    uint32_t left = 0;

    for (uint32_t next = node; next != 0; next = only_child(totals, node)) {
        node = next;
        if (text->chain_limit != 0 && lines == text->chain_limit) {
            left++;
            continue;
        }
        write_node(text, node, has_share, whole, indent);
        has_share = false;
        lines++;
    }
    if (left > 0) {
        write_no_share(text, indent);
        printf("... %" PRIu32 " more\n", left);
    }
    write_children(text, node, whole,
                   indent < DEEPEST_INDENT ? indent + INDENT : indent);
}

/* The ways in which a call goes on. */
static void write_children(const struct call_tree_text *text, uint32_t node,
                           uint32_t whole, unsigned indent)
{
    const struct call_totals *totals = text->totals;
    const uint32_t *children = totals->children + totals->first_child[node];
    uint64_t rest = 0;
    double rest_variance = 0;
    uint32_t rest_count = 0;
    /* Show some of many light branches, but not their callees. */
    bool is_light = totals->child_counts[node] > 0 &&
                    percent(text, totals->weights[children[0]], whole) <
                        text->least_percent;

    for (uint32_t i = 0; i < totals->child_counts[node]; i++) {
        uint32_t child = children[i];
        double share = percent(text, totals->weights[child], whole);

        if (is_light && i < LIGHT_SHOWN) {
            write_node(text, child, true, whole, indent);
        } else if (share < text->least_percent) {
            rest += totals->weights[child];
            rest_variance +=
                totals->errors == NULL ? 0 : totals->errors[child].variance;
            rest_count++;
        } else {
            write_chain(text, child, whole, indent);
        }
    }
    if (rest_count > 0) {
        write_share(text, rest, rest_variance, whole, indent);
        printf("(%" PRIu32 " more)\n", rest_count);
    }
}

void call_tree_text_write(const struct call_tree_text *text, uint32_t node)
{
    if (text->totals->weights[node] != 0)
        write_children(text, node, node, 0);
}
