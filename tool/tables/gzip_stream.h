/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gzip_stream.h - gzip output
 *
 * Output depends on the input alone: it has no name and no time.
 */
#pragma once

#include <stdio.h>

/* Return a stream that compresses to `out`; fclose() writes the end. `out` must
   outlive it and keeps its errors. */
FILE *gzip_stream_open(FILE *out);
