/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process_tree.h - the process images of a recording, and which one is meant
 *
 *     struct process_tree tree;
 *
 *     process_tree_open(&tree, "a.tally", true);
 *     chosen = process_tree_choose(&tree, NULL); // that held most
 *     for (image = tree.root; image != NULL; image = process_tree_next(image))
 *         print(image->depth, image->program);
 *     process_tree_close(&tree);
 *
 * An image is below the one that started its process, or that it replaced.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tool/session/images/live_ledger.h"

struct process_image {
    char *path;
    uint32_t pid, generation; /* images that this pid had before */
    bool is_readable;         /* the rest is known, but for the tree */
    bool is_running;
    uint32_t parent_pid;
    char *program;
    char *called; /* its first argument */
    uint64_t start_ns, end_ns;
    uint64_t peak;  /* bytes of the heap, and of maps in memory */
    uint64_t total; /* ... of the heap, as is `live` */
    int64_t live;
    size_t place; /* how many held more */
    size_t depth; /* in the tree */
    struct process_image *parent, *child, *next;
};

struct process_tree {
    struct process_image *images; /* the source, then others by their pids */
    size_t count;                 /* 0: there is one, and none was wanted */
    struct process_image *root;   /* others are `next` */
};

void process_tree_open(struct process_tree *tree, const char *path,
                       bool is_wanted);

/* Likewise of processes that run: that of `root`, whose path is its number, and
   those below it; without an offset of its whole session. */
void process_tree_open_live(struct process_tree *tree,
                            const struct live_ledger *root, bool is_wanted);
void process_tree_close(struct process_tree *tree);

/* The next one, in the order of the tree; NULL at the end. */
struct process_image *process_tree_next(const struct process_image *image);

/*
 * Of those that are PID, PID-GENERATION or whose program is a glob's, and of
 * all for NULL, the one that held most; NULL: there is none.
 */
const struct process_image *process_tree_choose(const struct process_tree *tree,
                                                const char *wish);

/* "123", or "123-2" behind two execs. */
enum { PROCESS_NUMBER_SIZE = 32 };
const char *process_number(char out[PROCESS_NUMBER_SIZE],
                           const struct process_image *image);
