/* SPDX-License-Identifier: Apache-2.0 */
/* trace_program.c - see trace_program.h */
#include "tool/model/trace/trace_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tool/model/trace/caller_modules.h"
#include "tool/symbols/name_memory.h"

/* The program that wrote the trace, unless it was built again since. */
static char *find_path(const struct trace *trace,
                       const struct ctf_text *program)
{
    struct stat status;
    char *path;

    if (program->length == 0)
        return NULL;
    path = strndup(program->bytes, program->length);
    if (path != NULL && stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
        status.st_mtim.tv_sec <= trace->metadata_time)
        return path;
    free(path);
    return NULL;
}

/* PROGRAM.PID.tally is beside PROGRAM.PID.events, and so with other images. */
static char *find_ledger(const char *folder)
{
    static const char ending[] = ".events";
    const char *end = strstr(folder, ending);
    size_t length = strlen(ending);
    char *path;

    while (end != NULL && strstr(end + length, ending) != NULL)
        end = strstr(end + length, ending);
    if (end == NULL || (strncmp(end + length, ".d/", 3) != 0 &&
                        strcmp(end + length, "/") != 0 && end[length] != '\0'))
        return NULL;
    if (asprintf(&path, "%.*s.tally%s", (int)(end - folder), folder,
                 strcmp(end + length, "/") == 0 ? "" : end + length) < 0)
        return NULL;
    if (is_ledger_file(path))
        return path;
    free(path);
    return NULL;
}

struct trace_program trace_program_find(const struct trace *trace)
{
    struct trace_program program = { 0 };
    struct trace_counts counts;
    const struct ctf_metadata_facts *facts =
        trace->description_count > 0 ? trace->described : trace->facts;

    name_memory_is_needed(true); /* without the program there are none */
    if (trace->folder != NULL)
        program.ledger = find_ledger(trace->folder);
    if (facts != NULL)
        program.path = find_path(trace, &facts->program);
    name_memory_is_needed(false);
    trace_count(trace, &counts);
    program.sample_interval = counts.sample_interval;
    if (facts == NULL)
        return program;
    program.has_load_address = facts->load_address != 0;
    program.load_address = facts->load_address;
    program.sample_interval = facts->sample_interval;
    return program;
}

void trace_program_close(struct trace_program *program)
{
    free(program->path);
    free(program->ledger);
    *program = (struct trace_program){ 0 };
}
