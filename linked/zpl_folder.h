/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zpl_folder.h - a trace's folder: the metadata beside the stream
 *
 * It is written when the trace begins, and anew when there are more threads,
 * heaps and slabs to name; a reader finds the old one or the new one. A stream
 * of packets without a folder has it in packets of its own, again and again.
 */
#pragma once

#include "format/ctf/zpl_event.h"

/* Make the folder, and choose what the file `stream` in it is called, which has
   room for PATH_MAX bytes. 0, or a negative errno. */
int zpl_folder_open(const char *path, const struct ctf_layout *layout,
                    char *stream);

/* Without a folder: the metadata goes into the stream. */
void zpl_folder_open_within(const struct ctf_layout *layout);

/* From now on an update does nothing. */
void zpl_folder_close(void);

/* Write the metadata if anything has a name that it does not say yet; into the
   stream in any case. */
void zpl_folder_update(void);
