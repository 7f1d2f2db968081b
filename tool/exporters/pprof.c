/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pprof.c - write a profile for `go tool pprof` and other readers of
 * profile.proto
 *
 * Source: https://github.com/google/pprof/blob/main/proto/profile.proto. The
 * four sample types have the names of Go's heap profiles, which viewers know.
 * Messages are written as they are made: their order in the file is free.
 * Numbers start at 1:
 *
 *     mapping   module + 1, the executable first
 *     location  place + 1; those of sites with a label follow, then [truncated]
 *     function  label_number + 1, then [truncated]
 */
#include "tool/exporters/exporter.h"

enum profile_field {
    PROFILE_SAMPLE_TYPE = 1,
    PROFILE_SAMPLE = 2,
    PROFILE_MAPPING = 3,
    PROFILE_LOCATION = 4,
    PROFILE_FUNCTION = 5,
    PROFILE_STRING_TABLE = 6,
    PROFILE_TIME_NANOS = 9,
    PROFILE_DURATION_NANOS = 10,
    PROFILE_PERIOD_TYPE = 11,
    PROFILE_PERIOD = 12,
    PROFILE_COMMENT = 13,
    PROFILE_DEFAULT_SAMPLE_TYPE = 14,
};

static const struct {
    const char *name;
    const char *unit;
    enum measure measure;
} sample_types[] = {
    { "alloc_objects", "count", MEASURE_TOTAL_BLOCKS },
    { "alloc_space", "bytes", MEASURE_TOTAL_BYTES },
    { "inuse_objects", "count", MEASURE_LIVE_BLOCKS },
    { "inuse_space", "bytes", MEASURE_LIVE_BYTES },
};

enum { SAMPLE_TYPES = sizeof sample_types / sizeof sample_types[0] };

struct pprof_writer {
    const struct export_job *job;
    const struct stacks *stacks;
    FILE *stream; /* packed */
    struct text_pool strings;
    bool *has_function; /* by label number: true if written */
    struct protobuf message, inner, packed;
    size_t negative;
};

static uint64_t string(struct pprof_writer *writer, const char *text)
{
    return text_pool_add(&writer->strings, text);
}

/* Move `part` into the message as that field. */
static void put_part(struct pprof_writer *writer, unsigned field,
                     struct protobuf *part)
{
    protobuf_bytes(&writer->message, field, part->bytes, part->size);
    part->size = 0;
}

/* Write the message, and empty it. */
static void write_bytes(struct pprof_writer *writer)
{
    fwrite(writer->message.bytes, 1, writer->message.size, writer->stream);
    writer->message.size = 0;
}

/* Write the message as that field of the profile, and empty it. */
static void write_message(struct pprof_writer *writer, unsigned field)
{
    struct protobuf head = { 0 };

    protobuf_varint(&head, field << 3 | 2);
    protobuf_varint(&head, writer->message.size);
    fwrite(head.bytes, 1, head.size, writer->stream);
    protobuf_free(&head);
    write_bytes(writer);
}

static void write_number(struct pprof_writer *writer, unsigned field,
                         uint64_t value)
{
    protobuf_number(&writer->message, field, value);
    write_bytes(writer);
}

static bool is_known(const struct pprof_writer *writer, unsigned type)
{
    return measure_is_known(writer->job->profile, sample_types[type].measure);
}

/* Write a ValueType as that field. */
static void write_type(struct pprof_writer *writer, unsigned field,
                       const char *name, const char *unit)
{
    protobuf_number(&writer->message, 1, string(writer, name));
    protobuf_number(&writer->message, 2, string(writer, unit));
    write_message(writer, field);
}

static void write_comment(void *context, const char *line)
{
    write_number(context, PROFILE_COMMENT, string(context, line));
}

static void write_head(struct pprof_writer *writer)
{
    const struct profile *profile = writer->job->profile;
    char comment[64];

    string(writer, ""); /* string 0 must be empty */
    for (unsigned i = 0; i < SAMPLE_TYPES; i++) {
        if (is_known(writer, i))
            write_type(writer, PROFILE_SAMPLE_TYPE, sample_types[i].name,
                       sample_types[i].unit);
    }
    write_number(writer, PROFILE_DEFAULT_SAMPLE_TYPE,
                 string(writer, writer->job->measure == MEASURE_TOTAL_BYTES
                                    ? "alloc_space"
                                    : "inuse_space"));
    if (profile->since_ns != 0 || profile->image_count > 0)
        write_number(writer, PROFILE_TIME_NANOS,
                     profile->since_ns != 0 ? profile->since_ns
                                            : profile->images[0].start_ns);
    write_number(writer, PROFILE_DURATION_NANOS, profile->duration_ns);
    if (profile->sample_interval > 1) {
        /* Values are scaled estimates already: viewers must not scale them
           again. */
        write_type(writer, PROFILE_PERIOD_TYPE, "space", "bytes");
        write_number(writer, PROFILE_PERIOD, profile->sample_interval);
    }
    snprintf(comment, sizeof comment, "%s of tally %s",
             profile->sample_interval > 1 ? "estimates" : "exact accounts",
             TALLY_VERSION);
    write_comment(writer, comment);
    trust_tell(profile, writer->job->names, writer->job->frames, write_comment,
               writer);
}

static void write_mapping(struct pprof_writer *writer, size_t number)
{
    const struct profile_module *module =
        &writer->job->profile->modules[number];
    char build_id[2 * ELF_BUILD_ID_CAPACITY + 1] = "";
    struct protobuf *message = &writer->message;

    for (uint32_t i = 0; i < module->build_id_size; i++)
        snprintf(build_id + 2 * i, 3, "%02x", module->build_id[i]);
    protobuf_number(message, 1, number + 1);
    protobuf_number(message, 2, module->start);
    protobuf_number(message, 3, module->start + module->size);
    protobuf_number(message, 5, string(writer, module->path));
    protobuf_number(message, 6, string(writer, build_id));
    for (unsigned has = 7; has <= 10; has++) /* functions, files, lines, ... */
        protobuf_number(message, has, 1);
    write_message(writer, PROFILE_MAPPING);
}

static void write_function(struct pprof_writer *writer, uint64_t id,
                           const char *label, const char *file)
{
    uint64_t name = string(writer, label);

    protobuf_number(&writer->message, 1, id);
    protobuf_number(&writer->message, 2, name);
    protobuf_number(&writer->message, 3, name);
    protobuf_number(&writer->message, 4,
                    string(writer, file == NULL ? "" : file));
    write_message(writer, PROFILE_FUNCTION);
}

/* Write a location, and its functions that are new. */
static void write_location(struct pprof_writer *writer, uint64_t id,
                           const struct profile_place *place,
                           const struct frame_name *names, size_t count)
{
    const struct profile *profile = writer->job->profile;

    for (size_t i = 0; i < count; i++) {
        bool *has_function = &writer->has_function[names[i].label_number];

        if (!*has_function)
            write_function(writer, names[i].label_number + UINT64_C(1),
                           names[i].label, names[i].name.file);
        *has_function = true;
    }
    protobuf_number(&writer->message, 1, id);
    if (place != NULL && place->module != PROFILE_NO_MODULE)
        protobuf_number(&writer->message, 2, place->module + UINT64_C(1));
    if (place != NULL) /* address of the call, before its return address */
        protobuf_number(&writer->message, 3,
                        place->address - 1 +
                            (place->module == PROFILE_NO_MODULE
                                 ? 0
                                 : profile->modules[place->module].bias));
    for (size_t i = 0; i < count; i++) {
        protobuf_number(&writer->inner, 1, names[i].label_number + UINT64_C(1));
        protobuf_number(&writer->inner, 2, names[i].name.line);
        put_part(writer, 4, &writer->inner);
    }
    write_message(writer, PROFILE_LOCATION);
}

static uint64_t site_location(const struct pprof_writer *writer, uint32_t site)
{
    return writer->stacks->place_count + site + UINT64_C(1);
}

static uint64_t cut_location(const struct pprof_writer *writer)
{
    return writer->stacks->place_count + writer->job->profile->caller_count +
           UINT64_C(1);
}

static void write_locations(struct pprof_writer *writer)
{
    const struct frame_names *frames = writer->job->frames;
    struct frame_name cut = frame_truncated;
    size_t count;

    cut.label_number = frame_names_label_limit(frames);
    writer->has_function = memory_zeroed(cut.label_number + UINT64_C(1),
                                         sizeof *writer->has_function);
    for (size_t i = 0; i < writer->stacks->place_count; i++) {
        const struct frame_name *names =
            frame_names_find(frames, (uint32_t)i, &count);

        if (profile_pair(writer->job->profile, (uint32_t)i) == NULL)
            write_location(writer, i + 1, &writer->stacks->places[i], names,
                           count);
    }
    for (size_t i = 0; i < writer->stacks->stack_count; i++) {
        const struct profile_stack *stack = &writer->stacks->stacks[i];

        if (stack->place == STACK_NO_PLACE)
            write_location(writer, site_location(writer, stack->site), NULL,
                           frame_names_of_site(frames, stack->site), 1);
    }
    write_location(writer, cut_location(writer), NULL, &cut, 1);
}

/* Write the pairs of the stack's label. */
static void write_labels(struct pprof_writer *writer, uint32_t frame)
{
    const char *pair;

    while ((pair = profile_next_pair(writer->job->profile, &frame)) != NULL) {
        size_t length = strcspn(pair, "=");
        OWNED char *key = memory_or_exit(strndup(pair, length));

        protobuf_number(&writer->inner, 1, string(writer, key));
        protobuf_number(&writer->inner, 2,
                        string(writer, pair + length + (pair[length] == '=')));
        put_part(writer, 3, &writer->inner);
    }
}

/* Return a value of a sample. Since a snapshot, live blocks of before are not
   counted, and may be freed. */
static int64_t value_of(const struct profile_amounts *amounts,
                        enum measure measure, bool is_difference)
{
    uint64_t held = measure == MEASURE_LIVE_BYTES    ? amounts->inherited_bytes
                    : measure == MEASURE_LIVE_BLOCKS ? amounts->inherited_blocks
                                                     : 0;

    return measure_of(amounts, measure) - (is_difference ? (int64_t)held : 0);
}

static void write_sample(struct pprof_writer *writer,
                         const struct profile_stack *stack)
{
    const struct stacks *stacks = writer->stacks;
    uint32_t frame = stack->frame;
    bool is_difference =
        writer->job->profile->since_ns != 0 && !writer->job->has_inherited;
    bool is_negative = false;

    protobuf_varint(&writer->packed, stack->place == STACK_NO_PLACE
                                         ? site_location(writer, stack->site)
                                         : stack->place + UINT64_C(1));
    for (; stacks_is_frame(frame); frame = stacks->frames[frame].parent) {
        uint32_t place = stacks->frames[frame].place;

        if (profile_pair(writer->job->profile, place) == NULL)
            protobuf_varint(&writer->packed, place + UINT64_C(1));
    }
    if (frame == STACK_CUT)
        protobuf_varint(&writer->packed, cut_location(writer));
    put_part(writer, 1, &writer->packed);
    for (unsigned i = 0; i < SAMPLE_TYPES; i++) {
        int64_t value =
            value_of(&stack->amounts, sample_types[i].measure, is_difference);

        is_negative = is_negative || (value < 0 && !is_difference);
        if (is_known(writer, i))
            protobuf_varint(&writer->packed,
                            value < 0 && !is_difference ? 0 : (uint64_t)value);
    }
    put_part(writer, 2, &writer->packed);
    write_labels(writer, stack->frame);
    write_message(writer, PROFILE_SAMPLE);
    writer->negative += is_negative;
}

static void write_strings(struct pprof_writer *writer)
{
    for (size_t i = 0; i < writer->strings.count; i++) {
        OWNED char *text =
            memory_or_exit(escape_copy(ESCAPE_PPROF, writer->strings.texts[i]));

        protobuf_bytes(&writer->message, PROFILE_STRING_TABLE, text,
                       strlen(text));
        write_bytes(writer);
    }
}

static void write_pprof(const struct export_job *job, FILE *out,
                        struct export_result *result)
{
    struct pprof_writer writer = { .job = job,
                                   .stacks = &job->profile->stacks,
                                   .stream = gzip_stream_open(out) };

    write_head(&writer);
    for (int is_executable = 1; is_executable >= 0; is_executable--) {
        for (size_t i = 0; i < job->profile->module_count; i++) {
            if (job->profile->modules[i].is_executable == (is_executable == 1))
                write_mapping(&writer, i);
        }
    }
    write_locations(&writer);
    for (size_t i = 0; i < writer.stacks->stack_count; i++)
        write_sample(&writer, &writer.stacks->stacks[i]);
    write_strings(&writer);
    fclose(writer.stream);
    result->negative = writer.negative;
    text_pool_free(&writer.strings);
    free(writer.has_function);
    protobuf_free(&writer.message);
    protobuf_free(&writer.inner);
    protobuf_free(&writer.packed);
}

const struct exporter exporter_pprof = {
    .summary = "for go tool pprof: live and total, bytes and blocks",
    .write = write_pprof,
};

char *pprof_of(struct profile *profile, const struct symbols_search *search,
               struct export_job job, size_t *size)
{
    struct site_names *names =
        site_names_create(profile, search, DEMANGLE_WITHOUT_ARGUMENTS);
    struct export_result result = { 0 };
    char *bytes = NULL;
    FILE *out = memory_or_exit(open_memstream(&bytes, size));

    profile_begin_stacks(profile);
    job.profile = profile;
    job.has_stacks = profile->has_stacks;
    job.names = names;
    job.frames = frame_names_create(profile, names);
    exporter_pprof.write(&job, out, &result);
    fclose(out);
    symbols_rest(*search->kept);
    return bytes;
}
