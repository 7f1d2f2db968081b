/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jumps.h - the jumps over a running process's entries, written and taken away
 *
 * All its threads are stopped for that. None may stand behind the first byte of
 * what a jump covers, nor return there from a signal's handler.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "format/ledger/patch_plan.h"
#include "tool/attach/tracee.h"

struct jump {
    uint64_t at;
    uint8_t bytes[PATCH_JUMP];  /* the jump */
    uint8_t before[PATCH_JUMP]; /* the file's bytes there */
};

enum { JUMP_CAPACITY = 4 * PATCH_CAPACITY };

struct jump_list {
    size_t count;
    struct jump jumps[JUMP_CAPACITY];
};

/*
 * Write the jumps that `list` is filled in with, to the ways that begin at
 * `plan->ways`, all or none. Adds the time that the process was stopped to
 * `*stopped_ns`, for the longest of several tries. -1: why not; the process is
 * as before, and runs.
 */
int jumps_write(struct tracee *tracee, struct patch_plan *plan,
                struct jump_list *list, int limit_ms, uint64_t *stopped_ns);

/* Return true if one of them stands there still. */
bool jumps_stand(const struct tracee *tracee, const struct jump_list *list);

/* Write back the bytes before each jump that still stands there. */
int jumps_remove(struct tracee *tracee, struct jump_list *list, int limit_ms,
                 uint64_t *stopped_ns);
