/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_ledger_parts.h - shared by the parts of load_ledger()
 *
 *     load_ledger.c   the image, and facts that belong to no site
 *     load_sites.c    counters of sites, at the end or at an instant
 *     load_stacks.c   modules and frames
 *     load_pages.c    pages that are not read again
 *
 * Functions return 0 or an enum ledger_error.
 */
#pragma once

#include "tool/model/profile/profile.h"

struct loaded_module {
    uint32_t module; /* index in the profile, or PROFILE_NO_MODULE */
    uint64_t bias;
    bool is_looked_up;
    bool is_unloaded;
    char *pair; /* KEY=VALUE of a label; NULL: a file */
};

struct loaded_frame {
    uint32_t frame; /* number in the profile; STACK_CUT if missing */
    uint32_t depth;
};

struct ledger_load {
    struct arena *arena; /* until the ledger is loaded */
    struct ledger_reader reader;
    struct profile *profile;       /* its last image is the ledger's */
    bool is_earlier;               /* its values are subtracted */
    uint64_t interval;             /* bytes between samples; 0: exact */
    struct loaded_module *modules; /* by the ledger's number */
    uint32_t module_limit;
    struct loaded_frame *frames;
    uint32_t frame_limit;
    uint32_t index;                /* of the segment of sites being loaded */
    const struct history *instant; /* load values at its chosen instant; NULL:
                                      final values */
};

/* Return a text up to its first NUL, as a string. */
static inline char *load_text(const struct ledger_load *load,
                              struct ledger_text_view text)
{
    const char *bytes = (const char *)text.bytes;

    return arena_text_of(load->arena, bytes,
                         text.length == 0 ? 0 : strnlen(bytes, text.length));
}

/* Prepare for finding modules. */
void load_modules(struct ledger_load *load);

/* Find the ledger's module `index`, valid while the ledger is loaded. */
int loaded_module_find(struct ledger_load *load, uint32_t index,
                       const struct loaded_module **found);

/* Find the module at `address`; *found may be of no module. */
int loaded_module_find_at(struct ledger_load *load, uint64_t address,
                          const struct loaded_module **found);

int load_frames(struct ledger_load *load);

/* Return the frame with the ledger's number, or a cut one. */
struct loaded_frame loaded_frame_find(const struct ledger_load *load,
                                      uint32_t number);

/* Load the history, and choose the wanted instant. */
int load_history(struct ledger_load *load);

/* Give back the pages of a segment of sites, once `id` is of the next one. */
void load_lets_go(struct ledger_load *load, uint32_t id);

int load_sites(struct ledger_load *load);
