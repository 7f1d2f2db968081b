/* SPDX-License-Identifier: Apache-2.0 */
/*
 * embedding.h - all calls from the ledger up into the library that contains it
 *
 * Two libraries keep a process's ledger: the recorder, which replaces malloc,
 * and libtally, which does not. Each defines one `embedding`. Functions may be
 * called in any thread, and must not allocate.
 */
#pragma once

#include <stdbool.h>

#include "ledger/export.h"

struct ledger_header;
struct session_claim;

struct embedding {
    /* Return false for another C library: the process is not recorded. */
    bool (*has_glibc)(void);

    /* Return true if malloc is libc's: blocks are 16 bytes apart and have two
       granules each. */
    bool (*is_libc)(void);

    /* Claim the extent of a new exec image; return false if it is not
       recorded. */
    bool (*claim)(struct session_claim *claim);

    /* All that follow are NULL in libtally. */

    /* Choose the mode of entry points again: a fact has changed. */
    void (*choose_mode)(void);

    /* Map the rest of the extent while `claim->fd` is open, and fill in the
       header's map_table. */
    void (*open)(struct ledger_header *header,
                 const struct session_claim *claim);

    /* Get ready to charge to stacks; return false to charge to callers. */
    bool (*open_stacks)(void);

    /* Begin to take samples, with stacks, once the ledger is open. A forked
       child inherits its parent's samples. */
    void (*begin_samples)(const struct session_claim *claim);

    /* Take over the parent's stacks and maps in a forked child, before it
       records. */
    void (*inherit)(struct ledger_header *header);
};

extern HIDDEN const struct embedding embedding;
