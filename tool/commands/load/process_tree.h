/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process_tree.h - process images of a recording, and the choice of one
 *
 *     struct process_tree tree;
 *
 *     process_tree_open(&tree, "a.tally", true);
 *     chosen = process_tree_choose(&tree, NULL); // highest peak
 *     for (image = tree.root; image != NULL; image = process_tree_next(image))
 *         print(image->depth, image->program);
 *     process_tree_close(&tree);
 *
 * The parent of an image is the one that it replaced, or that started its
 * process.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tool/session/images/live_ledger.h"

struct process_image {
    char *path;
    uint32_t pid, generation; /* number of the pid's earlier images */
    bool is_readable;         /* the fields below are known */
    bool is_running;
    uint32_t parent_pid;
    char *program;
    char *called; /* argv[0] */
    uint64_t start_ns, end_ns;
    uint64_t peak;  /* bytes of the heap and resident maps */
    uint64_t total; /* bytes allocated from the heap */
    int64_t live;
    size_t place; /* number of images with a higher peak */
    size_t depth; /* in the tree, 0 for a root */
    struct process_image *parent, *child, *next;
};

struct process_tree {
    struct process_image *images; /* the source, then others by pid */
    size_t count;                 /* 0: a single image, which need not be
                                     chosen */
    struct process_image *root;   /* first of the roots */
};

void process_tree_open(struct process_tree *tree, const char *path,
                       bool is_wanted);

/* Open a tree of live processes: `root` and its descendants or, without an
   offset, its whole session. Paths are PIDs. */
void process_tree_open_live(struct process_tree *tree,
                            const struct live_ledger *root, bool is_wanted);
void process_tree_close(struct process_tree *tree);

/* Return the next image in preorder, or NULL. */
struct process_image *process_tree_next(const struct process_image *image);

/* Return the image with the highest peak among those that `wish` names: PID,
   PID-GENERATION, a glob of programs, or NULL for all. Return NULL if none. */
const struct process_image *process_tree_choose(const struct process_tree *tree,
                                                const char *wish);

/* Write "123", or "123-2" after two execs. */
enum { PROCESS_NUMBER_SIZE = 32 };
const char *process_number(char out[PROCESS_NUMBER_SIZE],
                           const struct process_image *image);
