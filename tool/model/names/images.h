/* SPDX-License-Identifier: Apache-2.0 */
/*
 * images.h - the other process images of a recording
 *
 * `tally record -o FILE` keeps the first image in FILE and each further one in
 * FILE.d/PID-GENERATION.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct image_file {
    char *path;
    uint32_t pid;
    uint32_t generation; /* counts the images that this pid has had */
};

struct image_list {
    struct image_file *files; /* sorted by pid and generation */
    size_t file_count;
};

/* Find the images beside `path`; there may be none. */
void images_open(struct image_list *list, const char *path);
void images_close(struct image_list *list);
