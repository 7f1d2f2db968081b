/* SPDX-License-Identifier: Apache-2.0 */
/*
 * images.h - the files of a recording's exec images
 *
 * `tally record -o FILE` writes the first image to FILE and each other one to
 * FILE.d/PID-GENERATION.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct image_file {
    char *path;
    uint32_t pid;
    uint32_t generation; /* exec images of the pid before this one */
};

struct image_list {
    struct image_file *files; /* sorted by pid and generation */
    size_t file_count;
};

/* Find the images beside `path`; there may be none. */
void images_open(struct image_list *list, const char *path);
void images_close(struct image_list *list);
