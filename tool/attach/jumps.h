/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jumps.h - the jumps over a running process's entries, written and taken away
 *
 * All threads are stopped meanwhile. None may stand behind the first byte that
 * a jump covers, nor return there from a signal handler.
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
 * Write all jumps of `plan` or none, to the ways that begin at `plan->ways`,
 * and fill `list`. `*stopped_ns` keeps the longest stop of all tries. Return -1
 * with the failure set; the process then runs as before.
 */
int jumps_write(struct tracee *tracee, struct patch_plan *plan,
                struct jump_list *list, int limit_ms, uint64_t *stopped_ns);

/* Return true if one of them stands there still. */
bool jumps_stand(const struct tracee *tracee, const struct jump_list *list);

/* Write back the bytes before each jump that still stands there. */
int jumps_remove(struct tracee *tracee, struct jump_list *list, int limit_ms,
                 uint64_t *stopped_ns);

/*
 * Fill `list` with the recorder's jumps in a running process. Nothing that the
 * process or its session says is believed: the code of each mapped file is
 * compared with the file. A jump is the recorder's if it leads to one of its
 * ways (format/ledger/patch_plan.h); only bytes of the file are written back.
 * Return false if a jump lies in a file that cannot be reached, or if there are
 * more than JUMP_CAPACITY.
 */
bool jumps_find(const struct tracee *tracee, struct jump_list *list);
