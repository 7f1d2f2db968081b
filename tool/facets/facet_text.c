/* SPDX-License-Identifier: Apache-2.0 */
/* facet_text.c - headings, names and times that facets print */
#include "tool/facets/facet.h"

#include <inttypes.h>

void facet_print_heading(const struct facet_subject *subject, const char *text)
{
    bool has_color = terminal_has_color(subject->color, stdout);

    printf("\n%s%s%s\n", has_color ? "\033[1m" : "", text,
           has_color ? "\033[0m" : "");
}

void facet_print_safe(const char *text)
{
    escape_write(stdout, ESCAPE_TERMINAL, text, SIZE_MAX);
}

void facet_print_line(char *text)
{
    OWNED char *safe = memory_or_exit(escape_copy(ESCAPE_TERMINAL, text));

    terminal_write_cut(stdout, safe, (unsigned)terminal_room(stdout), "...",
                       false);
    putchar('\n');
    free(text);
}

const char *facet_duration(char out[DURATION_SIZE], uint64_t ns)
{
    uint64_t seconds = ns / 1000000000;

    if (seconds < 1)
        snprintf(out, DURATION_SIZE, "%.0f ms", (double)ns / 1e6);
    else if (seconds < 120)
        snprintf(out, DURATION_SIZE, "%.1f s", (double)ns / 1e9);
    else if (seconds < 7200)
        snprintf(out, DURATION_SIZE, "%" PRIu64 " min %" PRIu64 " s",
                 seconds / 60, seconds % 60);
    else
        snprintf(out, DURATION_SIZE, "%" PRIu64 " h %" PRIu64 " min",
                 seconds / 3600, seconds / 60 % 60);
    return out;
}
