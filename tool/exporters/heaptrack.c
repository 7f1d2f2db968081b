/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heaptrack.c - a file for heaptrack_print and heaptrack_gui
 *
 * Text format of version 3, by gzip. The format has events, not sums, so events
 * are made up that lead to the sums (heaptrack_events.c). Lines, all numbers
 * hexadecimal and counted from 1 but those of `a`, from 0:
 *
 *     v VERSION FORMAT        X COMMAND        I PAGE_SIZE PAGES
 *     s LENGTH TEXT
 *     i ADDRESS MODULE [FUNCTION [FILE LINE] [FUNCTION FILE LINE]...]
 *     t ADDRESS_NUMBER CALLER           a call and its caller
 *     a SIZE CALL    + NUMBER    - NUMBER    c MILLISECONDS
 */
#include <inttypes.h>

#include "tool/exporters/exporter.h"

struct heaptrack_writer {
    const struct export_job *job;
    const struct stacks *stacks;
    FILE *stream; /* packed */
    struct text_pool strings;
    size_t strings_written;
    uint64_t *place_numbers; /* numbers of `i` lines; 0: none yet */
    uint64_t *frame_numbers; /* numbers of `t` lines */
    uint64_t address_count;
    uint64_t call_count;
    uint64_t cut_call; /* number of the call [truncated]; 0: none yet */
};

/* Return the number of a text, and write it if it is new; 0 for NULL. */
static uint64_t string(struct heaptrack_writer *writer, const char *text)
{
    uint32_t number;
    OWNED char *safe = NULL;

    if (text == NULL)
        return 0;
    safe = memory_or_exit(escape_copy(ESCAPE_HEAPTRACK, text));
    number = text_pool_add(&writer->strings, safe);
    if (number == writer->strings_written) {
        fprintf(writer->stream, "s %zx %s\n", strlen(safe), safe);
        writer->strings_written++;
    }
    return number + UINT64_C(1);
}

/* Write an `i` line of these names, innermost first; return its number. */
static uint64_t write_address(struct heaptrack_writer *writer, uint64_t address,
                              const struct frame_name *names, size_t count)
{
    uint64_t module = string(writer, names[0].name.module);
    uint64_t numbers[SYMBOLS_CHAIN_LIMIT][2];

    for (size_t i = 0; i < count; i++) {
        numbers[i][0] = string(writer, names[i].label);
        numbers[i][1] = string(writer, names[i].name.file);
    }
    fprintf(writer->stream, "i %" PRIx64 " %" PRIx64, address, module);
    for (size_t i = 0; i < count; i++)
        fprintf(writer->stream, " %" PRIx64 " %" PRIx64 " %" PRIx64,
                numbers[i][0], numbers[i][1], names[i].name.line);
    fputc('\n', writer->stream);
    return ++writer->address_count;
}

static uint64_t number_of_place(struct heaptrack_writer *writer,
                                uint32_t number)
{
    const struct profile_place *place = &writer->stacks->places[number];
    const struct frame_name *names;
    uint64_t bias = 0;
    size_t count;

    if (writer->place_numbers[number] != 0)
        return writer->place_numbers[number];
    names = frame_names_find(writer->job->frames, number, &count);
    if (place->module != PROFILE_NO_MODULE)
        bias = writer->job->profile->modules[place->module].bias;
    writer->place_numbers[number] =
        write_address(writer, place->address + bias, names, count);
    return writer->place_numbers[number];
}

static uint64_t write_call(struct heaptrack_writer *writer, uint64_t address,
                           uint64_t caller)
{
    fprintf(writer->stream, "t %" PRIx64 " %" PRIx64 "\n", address, caller);
    return ++writer->call_count;
}

static uint64_t number_of_frame(struct heaptrack_writer *writer, uint32_t frame)
{
    if (frame == STACK_WHOLE)
        return 0;
    if (frame != STACK_CUT)
        return writer->frame_numbers[frame];
    if (writer->cut_call == 0)
        writer->cut_call = write_call(
            writer, write_address(writer, 0, &frame_truncated, 1), 0);
    return writer->cut_call;
}

/* Write the call of a stack's site; return its number. */
static uint64_t write_site(struct heaptrack_writer *writer,
                           const struct profile_stack *stack)
{
    uint64_t caller = number_of_frame(writer, stack->frame);
    uint64_t address;

    if (stack->place == STACK_NO_PLACE)
        address = write_address(
            writer, stack->site + UINT64_C(1),
            frame_names_of_site(writer->job->frames, stack->site), 1);
    else
        address = number_of_place(writer, stack->place);
    return write_call(writer, address, caller);
}

static void write_comment(void *context, const char *line)
{
    fprintf(context, "# %s\n", line);
}

static void write_head(struct heaptrack_writer *writer)
{
    const struct profile *profile = writer->job->profile;
    const char *command = writer->job->title;

    if (profile->image_count > 0)
        command = profile->images[0].command_line[0] != '\0'
                      ? profile->images[0].command_line
                      : profile->images[0].program;
    fprintf(writer->stream, "v 10400 3\nX ");
    escape_write(writer->stream, ESCAPE_HEAPTRACK, command, SIZE_MAX);
    fprintf(writer->stream, "\nI 1000 1\n");
    trust_tell(profile, writer->job->names, writer->job->frames, write_comment,
               writer->stream);
}

static void write_all(struct heaptrack_writer *writer,
                      struct export_result *result)
{
    size_t count = writer->stacks->stack_count;
    struct heaptrack_events events = { .stream = writer->stream };
    OWNED uint64_t *calls = memory_zeroed(count + 1, sizeof *calls);

    write_head(writer);
    for (size_t i = 1; i < writer->stacks->frame_count; i++) {
        const struct profile_frame *frame = &writer->stacks->frames[i];
        uint64_t caller = number_of_frame(writer, frame->parent);

        writer->frame_numbers[i] =
            write_call(writer, number_of_place(writer, frame->place), caller);
    }
    for (size_t i = 0; i < count; i++)
        calls[i] = write_site(writer, &writer->stacks->stacks[i]);
    heaptrack_events_write(&events, writer->job->profile, calls);
    result->left_out = events.left_out;
}

static void write_heaptrack(const struct export_job *job, FILE *out,
                            struct export_result *result)
{
    const struct stacks *stacks = &job->profile->stacks;
    struct heaptrack_writer writer;

    result->too_many = heaptrack_events_too_many(job->profile);
    if (result->too_many != 0)
        return;
    writer = (struct heaptrack_writer){
        .job = job,
        .stacks = stacks,
        .stream = gzip_stream_open(out),
        .place_numbers = memory_zeroed(stacks->place_count + 1,
                                       sizeof *writer.place_numbers),
        .frame_numbers = memory_zeroed(stacks->frame_count + 1,
                                       sizeof *writer.frame_numbers),
    };
    write_all(&writer, result);
    fclose(writer.stream);
    for (size_t i = 0; i < stacks->stack_count; i++)
        result->negative += stacks->stacks[i].amounts.live_bytes < 0;
    text_pool_free(&writer.strings);
    free(writer.place_numbers);
    free(writer.frame_numbers);
}

const struct exporter exporter_heaptrack = {
    .summary = "for heaptrack_print and heaptrack_gui, packed",
    .write = write_heaptrack,
    .suffix = ".gz",
};
