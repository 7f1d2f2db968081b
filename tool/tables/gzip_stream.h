/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gzip_stream.h - bytes, packed, into a file
 *
 * The packed bytes depend on the bytes alone: no name and no time is in them.
 */
#pragma once

#include <stdio.h>

/* fclose() writes the end. `out` must stay; its errors stay in it. */
FILE *gzip_stream_open(FILE *out);
