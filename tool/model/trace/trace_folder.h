/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_folder.h - the files of a CTF trace
 */
#ifndef TALLY_TOOL_MODEL_TRACE_FOLDER_H
#define TALLY_TOOL_MODEL_TRACE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/ctf/ctf_metadata_reader.h"
#include "tool/model/source.h"

struct trace_folder {
    char *metadata; /* the file's text */
    size_t metadata_size;
    int64_t metadata_time; /* when it was written, in seconds */
    int *streams;          /* descriptors, in the order of the files' names */
    size_t stream_count;
};

/* Whether a folder is a trace: it has a file named metadata. */
bool is_trace_folder(const char *path);

/*
 * Read the metadata and open all other files but hidden ones. A caller that
 * keeps a descriptor puts -1 in its place, or NULL for the metadata.
 * trace_folder_close() in either case.
 */
int trace_folder_open(struct trace_folder *folder, const char *path,
                      struct source_failure *failure);
void trace_folder_close(struct trace_folder *folder);

/*
 * Metadata that the user names, from here on in the place of what a trace says
 * of itself; a second file is added to the first, and all are judged together.
 * 0, or -1 with the reason.
 */
int trace_metadata_give(const char *path, struct source_failure *failure);
int trace_metadata_judge(struct source_failure *failure);

/* The facts in that metadata, and its text; NULL: none was given. */
const struct ctf_metadata_facts *trace_metadata_given(const char **text,
                                                      size_t *size);

#endif /* TALLY_TOOL_MODEL_TRACE_FOLDER_H */
