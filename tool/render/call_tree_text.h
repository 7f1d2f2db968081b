/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_tree_text.h - a tree of calls as lines
 *
 *          100.0 %  parse (parser.c:120)
 *                   main (main.c:14)
 *
 * A line has the share of its node where that differs from the line before.
 * Only where a call goes on in several ways does the next line stand further
 * right, so that deep stacks stay narrow.
 */
#pragma once

#include <stdint.h>

#include "tool/model/names/call_tree.h"

struct call_tree_text {
    const struct call_tree *tree;
    const struct call_totals *totals;
    unsigned width;       /* columns; names are cut to fit */
    double least_percent; /* nodes below this are summed in one line */
    unsigned chain_limit; /* lines of calls without a branch; 0: all */
};

/* To standard output: what lies above `node`, in percent of it; nothing when it
   weighs nothing. */
void call_tree_text_write(const struct call_tree_text *text, uint32_t node);

/* "FUNCTION (FILE:LINE)" or "FUNCTION [MODULE]", safe, in so many columns. */
void call_tree_text_write_name(const struct frame_name *name, unsigned width);
