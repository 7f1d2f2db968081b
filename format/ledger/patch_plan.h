/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patch_plan.h - plan for patching the entry points of an allocator
 *
 * A preload does not see a malloc that the program defines itself. The command
 * reads the program's file and relocates the code that a jump at each entry
 * point overwrites; the recorder copies that code next to the program, and the
 * jumps call the recorder.
 *
 * The recorder runs this code, so it accepts a plan from two sources only: from
 * `tally record`, in a memfd sealed against writing (session_layout.h), and
 * from `tally attach`, which writes it into private memory of the program. An
 * image that another program became asks the keeper for its own plan.
 */
#pragma once

#include <stdint.h>

#include "format/invariant.h"

enum {
    PATCH_CAPACITY = 128,
    PATCH_NAME = 40,
    PATCH_CODE = 96,
    PATCH_COVERED = 20,
    PATCH_OFFSETS = 6,
    PATCH_WHY = 64,
    PATCH_JUMP = 5,         /* bytes of jmp rel32 */
    PATCH_JUMP_CODE = 0xe9, /* first byte of that jump */
    /* Bytes for the moved code, and for as many trampolines. */
    PATCH_ROOM = 12288,
};

/* Name of the memfd with the moved code: PATCH_ROOM bytes of moved code, then
   PATCH_ROOM bytes of trampolines to hooks, PATCH_CODE for each. */
#define PATCH_AREA "tally-patches"

/* First byte of a function name that stands for the allocator's prefix. */
#define PATCH_PREFIXED '+'

struct patch_entry {
    char name[PATCH_NAME]; /* NUL-terminated */
    uint64_t function;
    uint64_t at;          /* address of the jump, after a landing pad */
    uint8_t covered_size; /* 0: no jump is written */
    uint8_t code_size;
    uint8_t offset_count;
    uint8_t same_as; /* without a jump: 1 + the entry that is the same function;
                        0: call the original code */
    uint8_t offsets[PATCH_OFFSETS]; /* offsets of operands in `code` that refer
                                       outside */
    uint8_t is_far; /* 0: its moved code lies near that of the first entry; 1:
                       near that of the first far entry */
    uint8_t reserved2[5];
    uint8_t covered[PATCH_COVERED]; /* original bytes */
    uint8_t code[PATCH_CODE];
};

struct patch_plan {
    uint64_t nonce;         /* of the session; 0 in a plan of tally attach */
    uint64_t device, inode; /* of the program's file */
    uint64_t entry;         /* entry point of the program, as linked */
    /* By `is_far`: address of the code of entry 0, others follow every
       PATCH_CODE bytes; and of its trampoline, filled in by the recorder for
       tally attach. */
    uint64_t moved[2], ways[2];
    uint32_t count;      /* 0: nothing is patched */
    uint32_t is_libc;    /* 1: the allocator is libc's own */
    char why[PATCH_WHY]; /* reason if nothing can be; NUL-terminated */
    struct patch_entry entries[PATCH_CAPACITY];
};

STATIC_ASSERT(PATCH_CAPACITY *PATCH_CODE <= PATCH_ROOM);

STATIC_ASSERT(sizeof(struct patch_entry) == 192);
