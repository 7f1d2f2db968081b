/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_ledger_parts.h - what the parts of load_ledger() share
 *
 *     load_ledger.c   the image, and what is not of one site
 *     load_sites.c    accounts, as they are or were at an instant
 *     load_stacks.c   files and frames, which sites name
 *
 * Functions return 0 or an enum ledger_error.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "format/ledger/ledger_reader.h"
#include "tool/model/profile/profile.h"
#include "tool/tables/memory.h"

struct loaded_module {
    uint32_t module; /* of the profile, or PROFILE_NO_MODULE */
    uint64_t bias;
    bool is_looked_up;
    bool is_unloaded;
    char *pair; /* of a label; NULL: it is a file */
};

struct loaded_frame {
    uint32_t frame; /* of the profile, STACK_CUT if it is not there */
    uint32_t depth;
};

struct ledger_load {
    struct arena *arena; /* until the ledger is loaded */
    struct ledger_reader reader;
    struct profile *profile;       /* its last image is the ledger's */
    bool is_earlier;               /* what it says is taken away */
    uint64_t interval;             /* between samples; 0: it is not sampled */
    struct loaded_module *modules; /* by the ledger's number, as are frames */
    uint32_t module_limit;
    struct loaded_frame *frames;
    uint32_t frame_limit;
    const struct history *instant; /* it is loaded as of that; NULL: as it is
                                      at the end */
};

/* Return a text up to its first NUL, as a string. */
static inline char *load_text(const struct ledger_load *load,
                              struct ledger_text_view text)
{
    const char *bytes = (const char *)text.bytes;

    return arena_text_of(load->arena, bytes,
                         text.length == 0 ? 0 : strnlen(bytes, text.length));
}

/* Modules can be found from then on. */
void load_modules(struct ledger_load *load);

/* What the ledger calls module `index`, valid until the arena goes. */
int loaded_module_find(struct ledger_load *load, uint32_t index,
                       const struct loaded_module **found);

/* The same of the module that lies at `address`; it may be none. */
int loaded_module_find_at(struct ledger_load *load, uint64_t address,
                          const struct loaded_module **found);

int load_frames(struct ledger_load *load);

/* The frame of the ledger's number, or what stands in its place. */
struct loaded_frame loaded_frame_find(const struct ledger_load *load,
                                      uint32_t number);

/* The instant that the profile is to be of, if the ledger has it. */
int load_history(struct ledger_load *load);

int load_sites(struct ledger_load *load);
