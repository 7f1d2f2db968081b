/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list.c - see serve_parts.h
 *
 * Figures are as old as the metrics. The script of the page replaces its table
 * body by a newer one.
 */
#include "tool/commands/serve/serve_parts.h"

#include <inttypes.h>

#include "tool/web/page.h"

enum { WIDTH = 120, HEIGHT = 20 }; /* of a sparkline, in pixels */

void program_keep(struct program *program, const struct profile *profile)
{
    struct program_reading *readings = program->readings;

    if (program->reading_count == PROGRAM_READINGS) {
        program->reading_count--;
        memmove(readings, readings + 1,
                program->reading_count * sizeof *readings);
    }
    readings[program->reading_count++] = (struct program_reading){
        .at_ns = clock_ns(CLOCK_MONOTONIC),
        .live = (uint64_t)profile->heap.live_bytes,
        .allocated = profile->heap.alloc_bytes,
    };
    program->peak = profile->peak_bytes;
}

static const struct program_reading *latest(const struct program *program)
{
    static const struct program_reading none;

    return program->reading_count == 0
               ? &none
               : &program->readings[program->reading_count - 1];
}

static void write_bytes(FILE *out, bool is_known, double bytes,
                        const char *behind)
{
    fputs("<td class=\"number\">", out);
    if (is_known)
        fprintf(out, "%s%s", NUMBER_BYTES((int64_t)bytes), behind);
    fputs("</td>", out);
}

static void write_rate(FILE *out, const struct program *program)
{
    const struct program_reading *last = latest(program), *before = last - 1;
    bool is_known =
        program->reading_count > 1 && last->allocated >= before->allocated;

    write_bytes(out, is_known,
                is_known ? (double)(last->allocated - before->allocated) * 1e9 /
                               (double)(last->at_ns - before->at_ns)
                         : 0,
                "/s");
}

/* Draw the live bytes by time, from 0 up. */
static void write_sparkline(FILE *out, const struct program *program)
{
    const struct program_reading *first = program->readings;
    const struct program_reading *last = latest(program);
    uint64_t most = 1;

    fputs("<td>", out);
    for (size_t i = 0; i < program->reading_count; i++)
        most = first[i].live > most ? first[i].live : most;
    if (program->reading_count > 1) {
        fprintf(out,
                "<svg class=\"spark\" width=\"%d\" height=\"%d\" role=\"img\" "
                "aria-label=\"live in the last %" PRIu64 " s, at most %s\">"
                "<polyline fill=\"none\" stroke=\"currentColor\" points=\"",
                WIDTH, HEIGHT, (last->at_ns - first->at_ns) / 1000000000,
                NUMBER_BYTES((int64_t)most));
        for (const struct program_reading *one = first; one <= last; one++)
            fprintf(out, "%.1f,%.1f ",
                    WIDTH * (double)(one->at_ns - first->at_ns) /
                        (double)(last->at_ns - first->at_ns),
                    1 + (HEIGHT - 2) * (1 - (double)one->live / (double)most));
        fputs("\"/></svg>", out);
    }
    fputs("</td>", out);
}

static void write_row(FILE *out, const struct program *program)
{
    bool is_known = program->reading_count > 0;

    fputs("<tr><th scope=\"row\">", out);
    fprintf(out, "<a href=\"/program/%s/\">", program->number);
    escape_write(out, ESCAPE_XML, program->name, SIZE_MAX);
    fprintf(out, "</a></th><td class=\"number\">%s</td>", program->number);
    write_bytes(out, is_known, (double)latest(program)->live, "");
    write_bytes(out, is_known && program->peak != 0, (double)program->peak, "");
    write_rate(out, program);
    write_sparkline(out, program);
    fprintf(
        out,
        "<td><a href=\"/program/%1$s/report.json\">report (JSON)</a>, pprof: "
        "<a href=\"/debug/pprof/heap?pid=%1$s\">live</a>, "
        "<a href=\"/debug/pprof/allocs?pid=%1$s\">allocated</a>, "
        "<a href=\"/debug/pprof/allocs?pid=%1$s&amp;seconds=30\">allocated "
        "in 30 s</a></td></tr>\n",
        program->number);
}

static int by_live(const void *left, const void *right)
{
    const struct program *a = *(const struct program *const *)left;
    const struct program *b = *(const struct program *const *)right;
    uint64_t more = latest(a)->live, less = latest(b)->live;

    return more != less ? (more < less) - (more > less) : a->pid - b->pid;
}

void programs_list(FILE *out)
{
    const struct program **rows = NULL;
    size_t count = 0;

    for (const struct program *program = programs_find(); program != NULL;
         program = program->next)
        ARRAY_ADD(rows, count, program);
    if (count > 0)
        qsort(rows, count, sizeof *rows, by_live);
    page_begin(out, "Recorded programs", list_script_hash, "'self'");
    fputs("<main>\n<h1>Recorded programs</h1>\n<p><a href=\"/metrics\">metrics"
          "</a></p>\n<p role=\"status\"></p>\n<table>\n<thead><tr>"
          "<th scope=\"col\">Program</th><th scope=\"col\" class=\"number\">PID"
          "</th><th scope=\"col\" class=\"number\">Live heap</th>"
          "<th scope=\"col\" class=\"number\">Peak</th>"
          "<th scope=\"col\" class=\"number\">Allocated</th>"
          "<th scope=\"col\">Live, last readings</th>"
          "<th scope=\"col\">Profiles</th>"
          "</tr></thead>\n<tbody>\n",
          out);
    for (size_t i = 0; i < count; i++)
        write_row(out, rows[i]);
    free(rows);
    fputs("</tbody>\n</table>\n", out);
    if (count == 0)
        fputs("<p>No recorded program is running.</p>\n", out);
    if (programs_cut >= 0)
        fprintf(out,
                "<p>User %" PRId64 " has too many programs to look through: "
                "some are missing.</p>\n",
                programs_cut);
    fprintf(out, "</main>\n<script>%s</script>\n</body>\n</html>\n",
            list_script);
}
