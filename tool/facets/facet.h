/* SPDX-License-Identifier: Apache-2.0 */
/*
 * facet.h - facts of a profile, for every writer: report, JSON and page
 *
 * A facet is one file and one row of `facets` in facets.c. The first screen,
 * the full report, its other forms and the head of the page walk that list.
 */
#pragma once

#include "tool/render/render.h"

/* Sections that the full report prints on request only. */
enum facet_request {
    FACET_FINDINGS = 1,
    FACET_SIZES = 2,
};

struct facet_subject {
    const struct profile *profile;
    const struct site_names *names;
    struct frame_names *frames; /* NULL: the source has no stacks */
    enum terminal_color color;
    unsigned requests; /* bits of enum facet_request */
};

struct result_list;

/* Any function may be NULL. */
struct facet {
    unsigned request; /* bit that the section needs; 0: none */
    void (*screen)(const struct facet_subject *subject, FILE *out);
    void (*print)(const struct facet_subject *subject);
    void (*write)(const struct facet_subject *subject, struct json *json);
    void (*results)(const struct facet_subject *subject,
                    struct result_list *list);
};

/* Print the accuracy section alone. */
void accuracy_print(const struct facet_subject *subject);

/* Write lines of the first screen, of any length. */
void facets_screen(const struct facet_subject *subject, FILE *out);

/* Print sections of the full report; write members of its JSON; add results for
   reviews. */
void facets_print(const struct facet_subject *subject);
void facets_write(const struct facet_subject *subject, struct json *json);
void facets_results(const struct facet_subject *subject,
                    struct result_list *list);

/* Print a heading after an empty line; print text as a terminal may see it. */
void facet_print_heading(const struct facet_subject *subject, const char *text);
void facet_print_safe(const char *text);

/* Print a line of any text, cut to the terminal; free it. */
void facet_print_line(char *text);

enum { DURATION_SIZE = 32 };

/* Return "28 ms", "1.5 s", "3 min 20 s" or "2 h 5 min", written to `out`. */
const char *facet_duration(char out[DURATION_SIZE], uint64_t ns);

/* Return "0", "1" or "never": vm.mem_profiling when the ledger was read. */
const char *facet_profiling(const struct profile_image *image);

/* Print the first `shown` findings, each in one line, and the kinds that could
   not be judged in another one. */
struct findings;
void findings_print(const struct facet_subject *subject,
                    const struct findings *findings, size_t shown);

/* Return a command line; if its first argument that looks like a file ends
   behind `room` columns, it comes right after the program. The caller frees
   it. */
char *facet_command(const char *command_line, size_t room);

/* Return "serve (a.c:3)", cut to that many columns; the caller frees it. */
char *facet_call_name(const struct facet_subject *subject, size_t site,
                      int room);
