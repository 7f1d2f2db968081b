/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zpl_folder.h - a trace's folder: the metadata beside the stream
 *
 * The metadata is written when the trace begins, and again when there are more
 * threads, heaps and slabs to name; a reader finds the old or the new version.
 * A stream of packets without a folder carries it in packets, repeatedly.
 */
#pragma once

#include "format/ctf/zpl_event.h"

/* Make the folder and choose the path of its `stream`, which has space for
   PATH_MAX bytes. Return 0 or a negative errno. */
int zpl_folder_open(const char *path, const struct ctf_layout *layout,
                    char *stream);

/* Send the metadata in the stream, without a folder. */
void zpl_folder_open_within(const struct ctf_layout *layout);

void zpl_folder_close(void);

/* Write the metadata if there are new names; into the stream in any case. */
void zpl_folder_update(void);
