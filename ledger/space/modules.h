/* SPDX-License-Identifier: Apache-2.0 */
/*
 * modules.h - the loaded file of an address
 *
 * Each new site asks once. A module removed by dlclose keeps its index and its
 * rows. Loading the same file (path and build-id) at the same address gives
 * them back; another file there gets new ones.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "ledger/export.h"

/* true if calls of dlclose come to us: a file stays the same until it is
   closed */
extern HIDDEN bool modules_see_unloading;

/* number of files found to be unloaded; only grows */
extern HIDDEN uint32_t modules_unloaded;

/* Find what libc offers. May be called any number of times. */
void modules_open(void);

/* addresses known to be of one module; zeros: none */
struct module_range {
    uintptr_t start, end;
    uint32_t module;
};

/* Return the index in the ledger's module table, or 0 if there is none. *near
   is from an earlier call; no file was unloaded since, or it was for a frame of
   the same stack, whose files cannot be. */
uint32_t modules_find_near(uintptr_t address, struct module_range *near);

static inline uint32_t modules_find(uintptr_t address)
{
    return modules_find_near(address, &(struct module_range){ 0 });
}

/* Return true if two addresses lie in the same loaded file. */
bool modules_are_same(const void *a, const void *b);

/* Return the path of the loaded file that holds `address`, or NULL. */
const char *modules_path_of(const void *address);

bool modules_is_loader(uintptr_t address);

/* Put the file that holds `address` to sleep: it is about to be unloaded. */
void modules_close(uintptr_t address);

/* Put files that are no longer loaded to sleep. Called after dlclose. */
void modules_close_unloaded(void);
