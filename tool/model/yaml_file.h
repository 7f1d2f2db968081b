/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yaml_file.h - an untrusted YAML file, event by event
 *
 * Unexpected events are refused at once: nothing nests deeper than its reader,
 * and aliases are never followed.
 *
 *     if (yaml_read(name, in, "see --help", read_members, context,
 *                   &failure) < 0)
 *         complain(failure.where, failure.why, failure.advice);
 */
#pragma once

#include <limits.h>
#include <stdio.h>
#include <yaml.h>

struct yaml_failure {
    char where[PATH_MAX + 64]; /* FILE:LINE:COLUMN, or FILE */
    const char *why, *advice;  /* static */
};

/* All functions return 0, or -1 and fill in the failure. */
struct yaml_file {
    const char *name;
    const char *form;     /* advice on the expected form */
    yaml_event_t event;   /* the one that is looked at */
    yaml_parser_t parser; /* private, as is the next */
    struct yaml_failure *failure;
};

/* Read from the start of the file's one mapping to its end. */
typedef int yaml_read_fn(struct yaml_file *file, void *context);

/* Read and close `in`; NULL: errno says why it could not be opened. */
int yaml_read(const char *name, FILE *in, const char *form, yaml_read_fn *read,
              void *context, struct yaml_failure *failure);

/* Go to the next event. */
int yaml_go_on(struct yaml_file *file);

/* Go to the next event and require this type. */
int yaml_expect(struct yaml_file *file, yaml_event_type_t type,
                const char *why);

/* Call `read` for each text of the next list. */
int yaml_read_list(struct yaml_file *file, yaml_read_fn *read, void *context);

/* Return the current text, or NULL if it is no text or contains a NUL. */
const char *yaml_text(const struct yaml_file *file);

/* Refuse the current event, `more` bytes behind its start. */
int yaml_refuse(struct yaml_file *file, size_t more, const char *why,
                const char *advice);
