/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_modules.h - the modules of a ledger, added to a profile when needed
 *
 * In the ledger of a running program a module is stored before whatever names
 * it, so this finds also those that were loaded while we read.
 */
#ifndef TALLY_TOOL_MODEL_LOAD_MODULES_H
#define TALLY_TOOL_MODEL_LOAD_MODULES_H

#include <stdbool.h>
#include <stdint.h>

#include "format/ledger/ledger_reader.h"
#include "tool/model/profile/profile.h"

struct loaded_module {
    uint32_t module; /* of the profile, or PROFILE_NO_MODULE */
    uint64_t bias;
    bool is_unloaded;
};

/* The caller sets the first two and leaves the rest zero. */
struct loaded_modules {
    struct ledger_reader *reader;
    struct profile *profile; /* its last image is the ledger's */
    struct loaded_module *modules;
    uint32_t limit;
};

/*
 * What the ledger calls module `index`; valid until the next call. 0, an enum
 * ledger_error or PROFILE_E_NO_MEMORY.
 */
int loaded_modules_find(struct loaded_modules *modules, uint32_t index,
                        const struct loaded_module **found);

/* The same of the module that lies at `address` by now; it may be none. */
int loaded_modules_find_at(struct loaded_modules *modules, uint64_t address,
                           const struct loaded_module **found);
void loaded_modules_free(struct loaded_modules *modules);

/* A text as a string; what is behind a NUL in it is dropped. NULL without
   memory. */
char *load_text(struct ledger_text_view text);

#endif /* TALLY_TOOL_MODEL_LOAD_MODULES_H */
