/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patch_plan.h - how the entries of an allocator are patched
 *
 * A program that defines malloc itself goes past a preload. The command reads
 * the program's file and moves the code that a jump over each entry covers; the
 * recorder copies that code next to the program, and is called by the jumps.
 *
 * The recorder runs this code, so it takes a plan from two places only: from
 * `tally record`, a memfd of its own that is sealed against writing
 * (session_layout.h), and from `tally attach`, which writes it into memory of
 * the program that no other process shares.
 */
#pragma once

#include <stdint.h>

enum {
    PATCH_CAPACITY = 128,
    PATCH_NAME = 40,
    PATCH_CODE = 96,
    PATCH_COVERED = 20,
    PATCH_OFFSETS = 6,
    PATCH_JUMP = 5,         /* bytes of jmp rel32 */
    PATCH_JUMP_CODE = 0xe9, /* its first byte */
    /* Of the moved code, and of as many ways to a hook behind it. */
    PATCH_ROOM = 12288,
};

/* The name of the memfd that moved code lies in. From its beginning: PATCH_ROOM
   bytes of moved code, then PATCH_ROOM bytes of ways, PATCH_CODE for each. */
#define PATCH_AREA "tally-patches"

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
    uint64_t nonce;         /* of the session; 0 in a plan of tally attach */
    uint64_t device, inode; /* of the program's file */
    uint64_t entry;         /* where the program begins to run, as linked */
    /* By `is_far`: where the code of entry 0 would lie, each PATCH_CODE
       further; and its way to its hook, which the recorder fills in for
       tally attach. */
    uint64_t moved[2], ways[2];
    uint32_t count;
    uint32_t is_libc; /* 1: it is libc's own malloc */
    struct patch_entry entries[PATCH_CAPACITY];
};

_Static_assert(PATCH_CAPACITY *PATCH_CODE <= PATCH_ROOM, "layout");

_Static_assert(sizeof(struct patch_entry) == 192, "layout");
