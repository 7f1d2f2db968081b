/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patch.h - plans of jumps over a program's allocator
 */
#pragma once

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/ledger/patch_plan.h"

/*
 * The first instructions of a function, moved to another place
 *
 * A jump of five bytes is written over an entry. The covered instructions run
 * elsewhere, and go on behind the jump:
 *
 *     entry    jmp hook            moved   push %rbx
 *              ...  <---------------       jmp entry + taken
 *
 * A landing pad (endbr64) stays where it is, and the jump is behind it.
 */

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

/*
 * The separate file that has a stripped program's symbols
 *
 * By build-id below /usr/lib/debug, or beside the program by the name in its
 * .gnu_debuglink. Only a file with the same build-id is taken.
 */

/* Open the debug file of a program, or return NULL. The caller ends the Elf and
   closes `*fd`. */
Elf *debug_file_open(int program_fd, Elf *program, int *fd);

/*
 * The entries of a malloc that is linked into a program, and how each is
 * patched
 *
 * By the names in the program's file. All or none: a malloc whose free goes
 * past the recorder would leave nothing but leaks.
 */

enum { PATCH_WHY_SIZE = 64 };

#define PATCH_NO_ALLOCATOR "no such allocator is in the program"

/*
 * Plan for the program at `path`. false: it defines no malloc, and `why` is
 * "", or it cannot be patched, and `why` says so: "free is too short".
 */
bool patch_plan_make(const char *path, struct patch_plan *plan,
                     char why[PATCH_WHY_SIZE]);

/*
 * Add a second allocator of the program, whose names begin with `prefix`, to a
 * plan that is made or is all zero, from the file at `path`, which lies `bias`
 * further than it is linked for; 0: it does not run yet. False, and the plan
 * is as before: `why` is "", and none is there, or it cannot be patched.
 */
bool patch_plan_add_prefixed(struct patch_plan *plan, const char *path,
                             uint64_t bias, const char *prefix,
                             char why[PATCH_WHY_SIZE]);

/*
 * Add to the plan for a process that runs: what the file at `path`, which lies
 * `bias` further than it is linked for, defines of the malloc family, all or
 * none, or of what else the recorder looks at. False: as above.
 */
enum patch_names { PATCH_FAMILY, PATCH_SERVICES };

bool patch_plan_add(struct patch_plan *plan, const char *path, uint64_t bias,
                    enum patch_names names, char why[PATCH_WHY_SIZE]);

/*
 * The name of an allocator's function that the executable defines itself, or
 * "" when it defines none or is stripped of all names.
 */
void patch_find_allocator(const char *path, char *name, size_t capacity);
