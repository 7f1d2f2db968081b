/* SPDX-License-Identifier: Apache-2.0 */
/*
 * speedscope.c - write a file for speedscope, https://www.speedscope.app
 *
 * Source: its file-format-schema.json. One sampled profile for each known
 * measure, the chosen one shown first. A sample is a stack, outermost call
 * first, with the stack's weight. Frames are functions.
 */
#include <inttypes.h>

#include "tool/exporters/exporter.h"

struct speedscope_writer {
    const struct export_job *job;
    FILE *out;
    const struct frame_name **functions; /* by label number; NULL: not used */
    uint32_t function_count;             /* also the number of [truncated] */
    uint32_t *calls;                     /* one stack, innermost first */
};

static void note_functions(struct speedscope_writer *writer)
{
    const struct stacks *stacks = &writer->job->profile->stacks;
    const struct frame_names *frames = writer->job->frames;
    size_t count;

    writer->function_count = frame_names_label_limit(frames);
    writer->functions = memory_zeroed(writer->function_count + UINT64_C(1),
                                      sizeof(*writer->functions));
    for (size_t i = 0; i < stacks->place_count; i++) {
        const struct frame_name *names =
            frame_names_find(frames, (uint32_t)i, &count);

        for (size_t j = 0; j < count; j++)
            writer->functions[names[j].label_number] = &names[j];
    }
    for (size_t i = 0; i < stacks->stack_count; i++) {
        const struct frame_name *name;

        if (stacks->stacks[i].place != STACK_NO_PLACE)
            continue;
        name = frame_names_of_site(frames, stacks->stacks[i].site);
        writer->functions[name->label_number] = name;
    }
}

static void write_frames(const struct speedscope_writer *writer)
{
    FILE *out = writer->out;

    fputs("\"shared\":{\"frames\":[\n", out);
    for (uint32_t i = 0; i < writer->function_count; i++) {
        const struct frame_name *name = writer->functions[i];
        const char *file = name == NULL              ? NULL
                           : name->name.file != NULL ? name->name.file
                                                     : name->name.module;

        fputs("{\"name\":", out);
        escape_json(out, name == NULL ? "" : name->label);
        if (file != NULL) {
            fputs(",\"file\":", out);
            escape_json(out, file);
        }
        fputs("},\n", out);
    }
    fputs("{\"name\":\"[truncated]\"}]},\n", out);
}

static void write_sample(struct speedscope_writer *writer,
                         const struct profile_stack *stack, bool is_first)
{
    struct stack_walk walk;
    const struct frame_name *name;
    size_t count = 0;

    stack_walk_begin(&walk, writer->job->frames, stack);
    while ((name = stack_walk_next(&walk)) != NULL)
        ARRAY_ADD(writer->calls, count, name->label_number);
    if (walk.is_cut)
        ARRAY_ADD(writer->calls, count, writer->function_count);
    fputs(is_first ? "[" : ",\n[", writer->out);
    while (count > 0) {
        fprintf(writer->out, "%" PRIu32, writer->calls[--count]);
        if (count > 0)
            fputc(',', writer->out);
    }
    fputc(']', writer->out);
}

static void write_profile(struct speedscope_writer *writer,
                          enum measure measure, size_t *negative)
{
    const struct stacks *stacks = &writer->job->profile->stacks;
    FILE *out = writer->out;
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
        write_sample(writer, &stacks->stacks[i], is_first);
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

static void write_profiles(struct speedscope_writer *writer, size_t *negative)
{
    unsigned written = 0, active = 0;
    size_t ignored = 0;

    fputs("\"profiles\":[\n", writer->out);
    for (unsigned i = 0; i < MEASURE_COUNT; i++) {
        enum measure measure = (enum measure)i;

        if (!measure_is_known(writer->job->profile, measure))
            continue;
        if (measure == writer->job->measure)
            active = written;
        if (written++ > 0)
            fputs(",\n", writer->out);
        write_profile(writer, measure,
                      measure == writer->job->measure ? negative : &ignored);
    }
    fprintf(writer->out, "],\n\"activeProfileIndex\":%u}\n", active);
}

static void write_speedscope(const struct export_job *job, FILE *out,
                             struct export_result *result)
{
    struct speedscope_writer writer = { .job = job, .out = out };
    OWNED char *trust = trust_join(job->profile, job->names, job->frames);
    OWNED char *name = memory_print("%s%s", job->title, trust);

    note_functions(&writer);
    fputs("{\"$schema\":"
          "\"https://www.speedscope.app/file-format-schema.json\",\n"
          "\"exporter\":\"tally " TALLY_VERSION "\",\n\"name\":",
          out);
    /* The format has no other place for the accuracy. */
    escape_json(out, name);
    fputs(",\n", out);
    write_frames(&writer);
    write_profiles(&writer, &result->negative);
    free(writer.functions);
    free(writer.calls);
}

const struct exporter exporter_speedscope = {
    .summary = "for speedscope: a profile for each value",
    .write = write_speedscope,
};
