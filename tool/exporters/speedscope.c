/* SPDX-License-Identifier: Apache-2.0 */
/*
 * speedscope.c - a file for speedscope, https://www.speedscope.app
 *
 * Source: its file-format-schema.json. A profile of samples for each measure
 * that is known, the chosen one first on the screen; a sample is a stack, the
 * outermost call first, and weighs what that does. Frames are functions.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tool/exporters/exporter.h"
#include "tool/model/names/trust.h"
#include "tool/tables/array.h"
#include "tool/text/escape.h"

struct writing {
    const struct export_job *job;
    FILE *out;
    const struct frame_name **functions; /* by label number; NULL: not met */
    uint32_t function_count;             /* [truncated] has this number */
    uint32_t *calls;                     /* of one stack, innermost first */
};

static void note_functions(struct writing *writing)
{
    const struct stacks *stacks = &writing->job->profile->stacks;
    const struct frame_names *frames = writing->job->frames;
    size_t count;

    writing->function_count = frame_names_label_limit(frames);
    writing->functions = memory_zeroed(writing->function_count + UINT64_C(1),
                                       sizeof(*writing->functions));
    for (size_t i = 0; i < stacks->place_count; i++) {
        const struct frame_name *names =
            frame_names_find(frames, (uint32_t)i, &count);

        for (size_t j = 0; j < count; j++)
            writing->functions[names[j].label_number] = &names[j];
    }
    for (size_t i = 0; i < stacks->stack_count; i++) {
        const struct frame_name *name;

        if (stacks->stacks[i].place != STACK_NO_PLACE)
            continue;
        name = frame_names_of_site(frames, stacks->stacks[i].site);
        writing->functions[name->label_number] = name;
    }
}

static void write_frames(const struct writing *writing)
{
    FILE *out = writing->out;

    fputs("\"shared\":{\"frames\":[\n", out);
    for (uint32_t i = 0; i < writing->function_count; i++) {
        const struct frame_name *name = writing->functions[i];
        const char *file = name == NULL              ? NULL
                           : name->name.file != NULL ? name->name.file
                                                     : name->name.module;

        fputs("{\"name\":", out);
        escape_quoted(out, ESCAPE_JSON, name == NULL ? "" : name->label);
        if (file != NULL) {
            fputs(",\"file\":", out);
            escape_quoted(out, ESCAPE_JSON, file);
        }
        fputs("},\n", out);
    }
    fputs("{\"name\":\"[truncated]\"}]},\n", out);
}

static void write_sample(struct writing *writing,
                         const struct profile_stack *stack, bool is_first)
{
    struct stack_walk walk;
    const struct frame_name *name;
    size_t count = 0;

    stack_walk_begin(&walk, writing->job->frames, stack);
    while ((name = stack_walk_next(&walk)) != NULL)
        ARRAY_ADD(writing->calls, count, name->label_number);
    if (walk.is_cut)
        ARRAY_ADD(writing->calls, count, writing->function_count);
    fputs(is_first ? "[" : ",\n[", writing->out);
    while (count > 0) {
        fprintf(writing->out, "%" PRIu32, writing->calls[--count]);
        if (count > 0)
            fputc(',', writing->out);
    }
    fputc(']', writing->out);
}

static void write_profile(struct writing *writing, enum measure measure,
                          size_t *negative)
{
    const struct stacks *stacks = &writing->job->profile->stacks;
    FILE *out = writing->out;
    uint64_t sum = 0;
    bool is_first = true;

    fprintf(out,
            "{\"type\":\"sampled\",\"name\":\"%s\",\"unit\":\"%s\","
            "\"startValue\":0,\"samples\":[\n",
            measure_name(measure),
            measure_is_bytes(measure) ? "bytes" : "none");
    for (size_t i = 0; i < stacks->stack_count; i++) {
        int64_t value = measure_of(&stacks->stacks[i].amounts, measure);

        *negative += value < 0;
        if (value <= 0)
            continue;
        write_sample(writing, &stacks->stacks[i], is_first);
        is_first = false;
        sum += (uint64_t)value;
    }
    fputs("],\n\"weights\":[", out);
    is_first = true;
    for (size_t i = 0; i < stacks->stack_count; i++) {
        int64_t value = measure_of(&stacks->stacks[i].amounts, measure);

        if (value > 0)
            fprintf(out, "%s%" PRId64, is_first ? "" : ",", value);
        is_first = is_first && value <= 0;
    }
    fprintf(out, "],\n\"endValue\":%" PRIu64 "}", sum);
}

static void write_profiles(struct writing *writing, size_t *negative)
{
    unsigned written = 0, active = 0;
    size_t ignored = 0;

    fputs("\"profiles\":[\n", writing->out);
    for (unsigned i = 0; i < MEASURE_COUNT; i++) {
        enum measure measure = (enum measure)i;

        if (!measure_is_known(writing->job->profile, measure))
            continue;
        if (measure == writing->job->measure)
            active = written;
        if (written++ > 0)
            fputs(",\n", writing->out);
        write_profile(writing, measure,
                      measure == writing->job->measure ? negative : &ignored);
    }
    fprintf(writing->out, "],\n\"activeProfileIndex\":%u}\n", active);
}

/* The title, and behind it how far it can be trusted: there is no other
   place. */
static void write_name(const struct export_job *job, FILE *out)
{
    char *trust = trust_join(job->profile, job->names, job->frames);
    char *name = memory_print("%s%s", job->title, trust);

    escape_quoted(out, ESCAPE_JSON, name);
    free(name);
    free(trust);
}

static void write_speedscope(const struct export_job *job, FILE *out,
                             struct export_result *result)
{
    struct writing writing = { .job = job, .out = out };

    note_functions(&writing);
    fputs("{\"$schema\":"
          "\"https://www.speedscope.app/file-format-schema.json\",\n"
          "\"exporter\":\"tally " TALLY_VERSION "\",\n\"name\":",
          out);
    write_name(job, out);
    fputs(",\n", out);
    write_frames(&writing);
    write_profiles(&writing, &result->negative);
    free(writing.functions);
    free(writing.calls);
}

const struct exporter exporter_speedscope = {
    .summary = "for speedscope: a profile for each value",
    .write = write_speedscope,
};
