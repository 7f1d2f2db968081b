/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_file.c - see yaml_file.h */
#include "tool/model/yaml_file.h"

#include <errno.h>

#include "tool/tables/tables.h"

enum { LARGEST = 1 << 20 };

static int fail_at(struct yaml_file *file, const yaml_mark_t *mark, size_t more,
                   const char *why, const char *advice)
{
    snprintf(file->failure->where, sizeof file->failure->where, "%s:%zu:%zu",
             file->name, mark->line + 1, mark->column + 1 + more);
    file->failure->why = why;
    file->failure->advice = advice;
    return -1;
}

int yaml_refuse(struct yaml_file *file, size_t more, const char *why,
                const char *advice)
{
    return fail_at(file, &file->event.start_mark, more, why, advice);
}

int yaml_go_on(struct yaml_file *file)
{
    yaml_event_delete(&file->event);
    if (yaml_parser_parse(&file->parser, &file->event))
        return 0;
    if (file->parser.error == YAML_MEMORY_ERROR)
        exit_out_of_memory();
    return fail_at(file, &file->parser.problem_mark, 0, "not YAML",
                   "correct the syntax there or before it");
}

int yaml_expect(struct yaml_file *file, yaml_event_type_t type, const char *why)
{
    if (yaml_go_on(file) < 0)
        return -1;
    return file->event.type == type ? 0 : yaml_refuse(file, 0, why, file->form);
}

const char *yaml_text(const struct yaml_file *file)
{
    const char *text = (const char *)file->event.data.scalar.value;

    return file->event.type == YAML_SCALAR_EVENT &&
                   strlen(text) == file->event.data.scalar.length
               ? text
               : NULL;
}

int yaml_read_list(struct yaml_file *file, yaml_read_fn *read, void *context)
{
    if (yaml_expect(file, YAML_SEQUENCE_START_EVENT, "not a list") < 0)
        return -1;
    while (yaml_go_on(file) == 0) {
        if (file->event.type == YAML_SEQUENCE_END_EVENT)
            return 0;
        if (yaml_text(file) == NULL)
            return yaml_refuse(file, 0, "expected a line of text", file->form);
        if (read(file, context) < 0)
            return -1;
    }
    return -1;
}

static int read_all(struct yaml_file *file, yaml_read_fn *read, void *context)
{
    if (yaml_expect(file, YAML_STREAM_START_EVENT, file->form) < 0 ||
        yaml_expect(file, YAML_DOCUMENT_START_EVENT, "it is empty") < 0 ||
        yaml_expect(file, YAML_MAPPING_START_EVENT, "expected a key") < 0 ||
        read(file, context) < 0 ||
        yaml_expect(file, YAML_DOCUMENT_END_EVENT, file->form) < 0)
        return -1;
    return yaml_expect(file, YAML_STREAM_END_EVENT,
                       "unexpected second document");
}

static int read_bytes(struct yaml_file *file, FILE *in, yaml_read_fn *read,
                      void *context)
{
    OWNED unsigned char *bytes = memory_zeroed(LARGEST + 1, 1);
    size_t size = fread(bytes, 1, LARGEST + 1, in);
    int error = -1;

    if (ferror(in) != 0) {
        file->failure->why = strerror(errno);
    } else if (size > LARGEST) {
        file->failure->why = "larger than 1 MiB";
    } else {
        if (!yaml_parser_initialize(&file->parser))
            exit_out_of_memory();
        yaml_parser_set_input_string(&file->parser, bytes, size);
        error = read_all(file, read, context);
        yaml_event_delete(&file->event);
        yaml_parser_delete(&file->parser);
    }
    fclose(in);
    return error;
}

int yaml_read(const char *name, FILE *in, const char *form, yaml_read_fn *read,
              void *context, struct yaml_failure *failure)
{
    struct yaml_file file = { .name = name, .form = form, .failure = failure };

    snprintf(failure->where, sizeof failure->where, "%s", name);
    failure->why = strerror(errno);
    failure->advice = "check its name and permissions";
    return in == NULL ? -1 : read_bytes(&file, in, read, context);
}
