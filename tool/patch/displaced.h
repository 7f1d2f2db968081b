/* SPDX-License-Identifier: Apache-2.0 */
/*
 * displaced.h - the first instructions of a function, moved to another place
 *
 * A jump of five bytes is written over an entry. The covered instructions run
 * elsewhere, and go on behind the jump:
 *
 *     entry    jmp hook            moved   push %rbx
 *              ...  <---------------       jmp entry + taken
 *
 * A landing pad (endbr64) stays where it is, and the jump is behind it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* At most five instructions of 15 bytes, and the jump behind them. */
enum {
    DISPLACED_JUMP = 5,  /* bytes of jmp rel32 */
    DISPLACED_COUNT = 5, /* instructions */
    DISPLACED_CODE = DISPLACED_COUNT * 15 + DISPLACED_JUMP,
};

/* Offsets of an instruction from the jump and in the moved code. */
struct displaced_step {
    uint8_t from, to;
};

struct displaced {
    uint64_t at;  /* where the jump is written */
    size_t taken; /* bytes there that the moved code stands for */
    uint8_t code[DISPLACED_CODE];
    size_t size;
    struct displaced_step steps[DISPLACED_COUNT]; /* the first is 0, 0 */
    size_t count;
    /* Offsets in `code` of words that lead out of it. */
    uint8_t offsets[DISPLACED_COUNT + 1];
    size_t offset_count;
};

/*
 * Move the beginning of the function whose `size` bytes lie at `address` to
 * `moved`, within 2 GiB. NULL, or why it cannot be; the reason is static and
 * reads on after the function's name: "free is too short".
 */
const char *displaced_move(struct displaced *displaced, const uint8_t *function,
                           size_t size, uint64_t address, uint64_t moved);

/* jmp rel32 at `from`, of DISPLACED_JUMP bytes. */
void displaced_write_jump(uint8_t *bytes, uint64_t from, uint64_t to);
