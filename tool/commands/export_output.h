/* SPDX-License-Identifier: Apache-2.0 */
/*
 * export_output.h - the file that an export goes to, or the folder
 */
#ifndef TALLY_TOOL_COMMANDS_EXPORT_OUTPUT_H
#define TALLY_TOOL_COMMANDS_EXPORT_OUTPUT_H

#include <limits.h>
#include <stdbool.h>

#include "tool/exporters/exporter.h"

/* What comes first is to be written to; the rest is private. */
struct export_output {
    struct export_files files;
    const char *path;
    bool is_folder, is_made;
    char stream[PATH_MAX], metadata[PATH_MAX];
};

/*
 * Make `path`, or a folder of that name with `stream` and `metadata`; never
 * overwrite. COMMAND_DONE, or COMMAND_USAGE after a complaint.
 * export_output_close() in either case.
 */
int export_output_open(struct export_output *output, const char *path,
                       bool is_folder);

/*
 * Returns `status`, or COMMAND_USAGE after a complaint when not all could be
 * written. Unless that is COMMAND_DONE, what was made is gone.
 */
int export_output_close(struct export_output *output, int status);

#endif /* TALLY_TOOL_COMMANDS_EXPORT_OUTPUT_H */
