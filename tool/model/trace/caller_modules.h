/* SPDX-License-Identifier: Apache-2.0 */
/*
 * caller_modules.h - the files that callers in a trace lie in
 *
 * A trace of calls has addresses as they were at run time. Which file has one,
 * and at which address, is known of a program that the user names, and where it
 * was loaded; and of all files in the ledger of the same run.
 *
 *     caller_modules_add(&modules, "app.elf", NULL, &failure);
 *     module = caller_modules_find(&modules, event.caller, &place);
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tool/model/profile/profile.h"
#include "tool/model/source.h"

struct caller_module {
    struct profile_module file; /* its path is absolute */
    uint64_t low, high;         /* what its segments span, as the file counts */
    bool has_thumb;             /* bit 0 of a return address is no part of it */
};

/* All fields 0 is none. */
struct caller_modules {
    struct caller_module *items;
    size_t count;
    bool has_all; /* those of a ledger: what lies in none is in no file */
};

/*
 * Add the program, whose address 0 was loaded at `load_address`; NULL: where it
 * was linked for. Or add the modules of a ledger. 0, or -1 with the reason.
 */
int caller_modules_add(struct caller_modules *modules, const char *path,
                       const uint64_t *load_address,
                       struct source_failure *failure);

/*
 * The number of the module that a caller lies in and the address in its file
 * that the call returns to; -1 if it lies in none.
 */
int caller_modules_find(const struct caller_modules *modules, uint64_t caller,
                        uint64_t *place);

/* Whether a file claims to be a ledger. */
bool is_ledger_file(const char *path);

void caller_modules_close(struct caller_modules *modules);

/* Functions by the million: each caller is looked up once; memory follows how
   many there are. */
struct caller_names;

/* The modules must stay. */
struct caller_names *caller_names_open(const struct caller_modules *modules);
void caller_names_close(struct caller_names *names);

/* The function's name, any bytes; NULL where it is not known. It stays. */
const char *caller_names_find(struct caller_names *names, uint64_t caller);
