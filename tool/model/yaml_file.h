/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yaml_file.h - a file of YAML that is not to be trusted, event by event
 *
 * What is not expected where it stands is refused at once: nothing nests deeper
 * than its reader, and an alias is never followed.
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

/* All functions return 0, or -1 with the failure filled in. */
struct yaml_file {
    const char *name;
    const char *form;     /* the advice where it is another one */
    yaml_event_t event;   /* the one that is looked at */
    yaml_parser_t parser; /* private, as is the next */
    struct yaml_failure *failure;
};

/* Behind the start of its one mapping, up to its end. */
typedef int yaml_read_fn(struct yaml_file *file, void *context);

/* Close `in`. NULL: it could not be opened, as errno says. */
int yaml_read(const char *name, FILE *in, const char *form, yaml_read_fn *read,
              void *context, struct yaml_failure *failure);

/* The next event. */
int yaml_go_on(struct yaml_file *file);

/* The next event, which is to be of that type. */
int yaml_expect(struct yaml_file *file, yaml_event_type_t type,
                const char *why);

/* Call `read` for each text of the list that is next. */
int yaml_read_list(struct yaml_file *file, yaml_read_fn *read, void *context);

/* The text that is looked at; NULL: it is none, or holds a zero. */
const char *yaml_text(const struct yaml_file *file);

/* Refuse what is looked at, `more` bytes behind its begin. */
int yaml_refuse(struct yaml_file *file, size_t more, const char *why,
                const char *advice);
