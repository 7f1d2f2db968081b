/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_folder.h - the files of a CTF trace
 */
#ifndef TALLY_TOOL_MODEL_TRACE_FOLDER_H
#define TALLY_TOOL_MODEL_TRACE_FOLDER_H

#include <stddef.h>
#include <stdint.h>

#include "tool/model/source.h"

struct trace_folder {
    char *metadata; /* the file's text */
    size_t metadata_size;
    int64_t metadata_time; /* when it was written, in seconds */
    int *streams;          /* descriptors, in the order of the files' names */
    size_t stream_count;
};

/*
 * Read the metadata and open all other files but hidden ones. Whoever takes a
 * descriptor leaves -1, or NULL for the metadata. trace_folder_close() in either
 * case.
 */
int trace_folder_open(struct trace_folder *folder, const char *path,
                      struct source_failure *failure);
void trace_folder_close(struct trace_folder *folder);

#endif /* TALLY_TOOL_MODEL_TRACE_FOLDER_H */
