/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patch_plan.h - what `tally record` has found out of a program's own malloc
 *
 * A program that defines malloc itself goes past a preload. `tally record`
 * reads its file and moves what a jump over each entry covers; the recorder
 * copies that next to the program, writes the jumps, and is called. Both lie in
 * the session's file at SESSION_PATCHES. All addresses are as linked.
 */
#pragma once

#include <stdint.h>

#include "format/ledger/session_layout.h"

enum {
    PATCH_CAPACITY = 64,
    PATCH_NAME = 40,
    PATCH_CODE = 96,
    PATCH_COVERED = 20,
    PATCH_OFFSETS = 6,
    PATCH_JUMP = 5,         /* bytes of jmp rel32 */
    PATCH_JUMP_CODE = 0xe9, /* its first byte */
    /* Of the moved code, and of as many ways to a hook behind it. */
    PATCH_ROOM = 12288,
};

/* How the name of a function begins that has the allocator's prefix there. */
#define PATCH_PREFIXED '+'

struct patch_entry {
    char name[PATCH_NAME]; /* NUL-terminated */
    uint64_t function;
    uint64_t at;          /* where the jump is written, behind a landing pad */
    uint8_t covered_size; /* 0: no jump is written */
    uint8_t code_size;
    uint8_t offset_count;
    uint8_t same_as; /* without a jump: one more than the entry whose function
                        it is, too; 0: what lies there is called */
    uint8_t offsets[PATCH_OFFSETS]; /* of words that lead out of `code` */
    uint8_t is_far; /* 0: code moved from it lies near the first, else near the
                       first that is far */
    uint8_t reserved2[5];
    uint8_t covered[PATCH_COVERED]; /* what is there before */
    uint8_t code[PATCH_CODE];
};

struct patch_plan {
    /* Of the program's file. 0 and the number of a process: that one has
       attached to this one, and writes the jumps; all addresses are as they
       are here. */
    uint64_t device, inode;
    uint64_t entry; /* where the program begins to run */
    /* By `is_far`: where the code of entry 0 would lie, each PATCH_CODE
       further; and its way to its hook, as the recorder says. */
    uint64_t moved[2], ways[2];
    uint32_t count;
    uint32_t is_libc; /* 1: it is libc's own malloc */
    struct patch_entry entries[PATCH_CAPACITY];
};

/* Behind the words of process numbers. */
#define SESSION_PATCHES (UINT64_C(32) << 20)

_Static_assert(PATCH_CAPACITY *PATCH_CODE <= PATCH_ROOM, "layout");

_Static_assert(sizeof(struct patch_entry) == 192, "layout");
_Static_assert(SESSION_PATCHES >=
                   SESSION_EXPECTED + SESSION_PID_LIMIT * UINT64_C(4),
               "layout");
