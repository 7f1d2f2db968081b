/* SPDX-License-Identifier: Apache-2.0 */
/*
 * caller_modules.h - modules of the callers in a trace
 *
 * A trace of calls has run-time addresses. Their modules are known from the
 * program that the user names, with its load address, or from the ledger of the
 * same run, which has all modules.
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
    struct profile_module file; /* with an absolute path */
    uint64_t low, high;         /* span of its segments, in file addresses */
    bool has_thumb;             /* bit 0 of return addresses marks Thumb code */
};

/* Begins as { 0 }. */
struct caller_modules {
    struct caller_module *items;
    size_t count;
    bool has_all; /* all files of the run: other addresses are in none */
};

/* Add the modules of a ledger, or a program, whose address 0 was loaded at
   `load_address` (NULL: as linked). Return 0, or -1 with the reason. */
int caller_modules_add(struct caller_modules *modules, const char *path,
                       const uint64_t *load_address,
                       struct source_failure *failure);

/* Return the number of the module with this return address, or -1; set *place
   to the address in its file. */
int caller_modules_find(const struct caller_modules *modules, uint64_t caller,
                        uint64_t *place);

/* Return true if a file begins like a ledger. */
bool is_ledger_file(const char *path);

void caller_modules_close(struct caller_modules *modules);

/* Names of functions of callers, each looked up once. */
struct caller_names;

/* Create names of callers in `modules`, which must outlive them. */
struct caller_names *caller_names_open(const struct caller_modules *modules);
void caller_names_close(struct caller_names *names);

/* Return the function's name, any bytes, or NULL; it lives as long as the
   names. */
const char *caller_names_find(struct caller_names *names, uint64_t caller);
