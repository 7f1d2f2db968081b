/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patch.h - plans of jumps over a program's allocator
 */
#pragma once

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>

#include "format/ledger/patch_plan.h"

/*
 * First instructions of a function, moved to another place
 *
 * A jump of five bytes overwrites an entry. The covered instructions run
 * elsewhere, then continue after the jump:
 *
 *     entry    jmp hook            moved   push %rbx
 *              ...  <---------------       jmp entry + taken
 *
 * A landing pad (endbr64) stays in place, and the jump follows it.
 */

/* at most five instructions of 15 bytes, and the jump after them */
enum {
    DISPLACED_JUMP = 5,  /* bytes of jmp rel32 */
    DISPLACED_COUNT = 5, /* instructions */
    DISPLACED_CODE = DISPLACED_COUNT * 15 + DISPLACED_JUMP,
};

/* offset of an instruction from the jump, and in the moved code */
struct displaced_step {
    uint8_t from, to;
};

struct displaced {
    uint64_t at;  /* address of the jump */
    size_t taken; /* bytes there covered by the moved code */
    uint8_t code[DISPLACED_CODE];
    size_t size;
    struct displaced_step steps[DISPLACED_COUNT]; /* steps[0] is 0, 0 */
    size_t count;
    /* offsets in `code` of words that refer to addresses outside of it */
    uint8_t offsets[DISPLACED_COUNT + 1];
    size_t offset_count;
};

/*
 * Move the beginning of the function of `size` bytes at `address` to `moved`,
 * within 2 GiB. Return NULL, or a static reason that continues the function's
 * name: "free is too short".
 */
const char *displaced_move(struct displaced *displaced, const uint8_t *function,
                           size_t size, uint64_t address, uint64_t moved);

/* Write a `jmp rel32` of DISPLACED_JUMP bytes for address `from`. */
void displaced_write_jump(uint8_t *bytes, uint64_t from, uint64_t to);

/*
 * Separate file with the symbols of a stripped program
 *
 * It is found by build-id below /usr/lib/debug, or beside the program by the
 * name in its .gnu_debuglink. It must have the program's build-id.
 */

/* Open the debug file of a program, or return NULL. The caller calls elf_end()
   and closes `*fd`. */
Elf *debug_file_open(int program_fd, Elf *program, int *fd);

/*
 * Entries of a malloc linked into a program, and their patches
 *
 * Entries are found by the names in the program's file. All are patched or
 * none: if free bypassed the recorder, every block would look leaked.
 */

enum { PATCH_WHY_SIZE = PATCH_WHY };

#define PATCH_NO_ALLOCATOR "no such allocator is in the program"

/*
 * Make a plan for the program at `path`. Return false if it defines no malloc,
 * with `why` "", or if it cannot be patched, with the reason in `why`: "free is
 * too short".
 */
bool patch_plan_make(const char *path, struct patch_plan *plan,
                     char why[PATCH_WHY_SIZE]);

/*
 * Add a second allocator of the program, whose names begin with `prefix`, to a
 * plan that is made or all zero. The file at `path` is loaded `bias` bytes
 * above its link address; 0 if it is not running yet. Return false with the
 * plan unchanged if it has no such allocator, with `why` "", or if that cannot
 * be patched.
 */
bool patch_plan_add_prefixed(struct patch_plan *plan, const char *path,
                             uint64_t bias, const char *prefix,
                             char why[PATCH_WHY_SIZE]);

/*
 * Add functions of a running process to the plan: all of the malloc family or
 * none, or services, the other functions that the recorder watches. The file at
 * `path` is loaded `bias` bytes above its link address. Return false as
 * patch_plan_add_prefixed() does.
 */
enum patch_names { PATCH_FAMILY, PATCH_SERVICES };

bool patch_plan_add(struct patch_plan *plan, const char *path, uint64_t bias,
                    enum patch_names names, char why[PATCH_WHY_SIZE]);

/*
 * Set `name` to an allocator function that the executable defines, or to "" if
 * it defines none or is stripped of all names.
 */
void patch_find_allocator(const char *path, char *name, size_t capacity);
