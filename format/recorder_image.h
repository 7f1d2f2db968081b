/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder_image.h - location of the recorder's variables in a process
 *
 * `tally attach` restarts the recorder in a process that already contains it:
 * with all threads stopped, none of them in the recorder, it restores the
 * initial values of the variables. The recorder exports one struct
 * recorder_image.
 */
#pragma once

#include <stdint.h>

#define RECORDER_IMAGE "tally_record_image" /* name of the exported symbol */

enum { RECORDER_IMAGE_VERSION = 1 };

struct recorder_image {
    uint32_t version; /* RECORDER_IMAGE_VERSION */
    uint32_t reserved;
    uint64_t code, code_size; /* code of the recorder, to find threads in it */
    uint64_t start, size;     /* the variables */
    uint64_t copy; /* their initial values; 0: nothing has been recorded yet */
    uint64_t kept, kept_size; /* variables that are not restored */
    /* Thread-local variables, as offsets from the thread pointer. The first
       words_copy_size bytes are restored from the copy, the others are set to
       0. */
    int64_t words;
    uint64_t words_size;
    uint64_t words_copy, words_copy_size;
};
