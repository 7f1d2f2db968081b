/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder_image.h - where the recorder's own variables lie in a process
 *
 * `tally attach` makes the recorder begin anew in a process that it was in
 * before: with all threads stopped and none of them in the recorder it writes
 * back what the variables were. The recorder exports one of these.
 */
#pragma once

#include <stdint.h>

#define RECORDER_IMAGE "tally_record_image" /* its name there */

enum { RECORDER_IMAGE_VERSION = 1 };

struct recorder_image {
    uint32_t version; /* RECORDER_IMAGE_VERSION */
    uint32_t reserved;
    uint64_t code, code_size; /* where threads are in the recorder */
    uint64_t start, size;     /* the variables */
    uint64_t copy; /* what they were; 0: nothing has been recorded yet */
    uint64_t kept, kept_size; /* those among them that stay */
    /* Thread-local ones: from the thread's pointer on. The first are as in a
       copy, the others 0. */
    int64_t words;
    uint64_t words_size;
    uint64_t words_copy, words_copy_size;
};
