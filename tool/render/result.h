/* SPDX-License-Identifier: Apache-2.0 */
/*
 * result.h - what was found of each rule or row, for people, scripts and
 * reviews
 *
 * One list, and a writer for each form in result_FORM.c. Texts may hold any
 * bytes; each writer escapes them as its form asks.
 *
 *     struct result_list list = { .command = "check" };
 *     struct result result = { .state = RESULT_BROKEN, .rule = ... };
 *
 *     result_add(&list, &result);
 *     result_forms[form].write(stdout, &list);
 *     result_list_free(&list);
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tool/model/names/names.h"
#include "tool/model/trace/trace_figures.h"
#include "tool/text/text.h"

enum result_state {
    RESULT_KEPT,
    RESULT_BROKEN,
    RESULT_UNMATCHED, /* kept, for nothing is like the rule's pattern */
    RESULT_UNKNOWN,   /* the source does not tell */
    RESULT_UNJUDGED,  /* the recording does not cover enough of the program, or
                         its samples are too few */
    RESULT_CHANGED,   /* a row of a comparison, which breaks nothing */
    RESULT_FOUND,     /* a finding, as of the first screen of a report */
    RESULT_HELD,      /* a row of a report */
    RESULT_STATES,
};

/* All texts are for free(); NULL: there is none. */
struct result {
    enum result_state state;
    char *rule;    /* as it stands in the file, or what is compared */
    char *program; /* base name, of a row NULL */
    char *source;  /* the ledger */
    char *message; /* the figure, the bound, and by how much, in words */
    double value, limit, over; /* in bytes or blocks; of a row before, after
                                  and growth */
    bool is_bytes;
    char *rule_file; /* where the rule stands */
    uint64_t rule_line;
    /* stack of the greatest contributor, innermost call first */
    struct site_name *stack;
    size_t stack_count;
};

struct result_list {
    const char *command;
    const char *program, *source; /* of results that name none; or NULL */
    struct result *results;
    size_t count;
    size_t counts[RESULT_STATES];
};

enum { RESULT_STACK_LIMIT = 12 };

void result_list_free(struct result_list *list);
/* The list takes what the result has. */
void result_add(struct result_list *list, const struct result *result);
/* Add copies of calls to its stack: one, or a whole stack up to the limit. */
void result_add_call(struct result *result, const struct site_name *name);
void result_add_frame(struct result *result, const struct frame_name *call);
void result_add_stack(struct result *result, const struct frame_names *names,
                      const struct profile_stack *stack);

/* Add the calls of a stack; without `stack` or `frames`, the site alone. */
void result_add_calls(struct result *result, const struct site_names *names,
                      const struct frame_names *frames,
                      const struct profile_stack *stack, size_t site);

/* Add a region of a trace as a call. */
void result_add_region(struct result *result, const struct region *region);

/* "kept" and so on. */
const char *result_state_name(enum result_state state);

/* Its stack, such as "parse (a.c:3)", with `first` before the first call and
   `next` before each other one. */
void result_write_stack(FILE *out, const struct result *result,
                        enum escape_format format, const char *first,
                        const char *next);

typedef void result_write_fn(FILE *out, const struct result_list *list);

result_write_fn result_write_text, result_write_json, result_write_markdown,
    result_write_github, result_write_junit;

/* The members of a name: "function", "file", "line" and "module". */
struct json;
void result_write_name(struct json *json, const struct site_name *name);

struct result_form {
    const char *name;
    result_write_fn *write;
};

/* "text", which is the first, "json", "markdown", "github" and "junit". */
extern const struct result_form result_forms[];
extern const struct word_list result_form_words;
enum { RESULT_TEXT, RESULT_JSON }; /* the first two */
