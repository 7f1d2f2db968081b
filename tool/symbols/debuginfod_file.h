/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debuginfod_file.h - a program that is not here, from a debuginfod server
 *
 * elfutils asks such servers for debug information of its own accord, but for a
 * file that is here. Its client library is used if it is installed.
 */
#ifndef TALLY_TOOL_SYMBOLS_DEBUGINFOD_FILE_H
#define TALLY_TOOL_SYMBOLS_DEBUGINFOD_FILE_H

#include <stddef.h>
#include <stdint.h>

/*
 * A descriptor of the file with that build-id, from one of the servers in
 * DEBUGINFOD_URLS or from what was kept of them; -1: none has it.
 */
int debuginfod_file_open(const uint8_t *build_id, size_t size);

#endif /* TALLY_TOOL_SYMBOLS_DEBUGINFOD_FILE_H */
