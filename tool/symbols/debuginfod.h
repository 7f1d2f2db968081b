/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debuginfod.h - fetch files from servers, by build-id
 *
 * elfutils itself asks servers for debug information, but only of local files.
 * Its client library is used if it is installed.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Have requests of a client, or NULL, end once a signal that is held back
   came. */
void debuginfod_watch(void *client);

/*
 * Open the file with that build-id from debuginfod's cache or a server in
 * DEBUGINFOD_URLS; return -1 on failure.
 */
int debuginfod_open(const uint8_t *build_id, size_t size);
