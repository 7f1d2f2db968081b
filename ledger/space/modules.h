/* SPDX-License-Identifier: Apache-2.0 */
/*
 * modules.h - which loaded file an address lies in
 *
 * Asked once for each new site. A module that dlclose took away keeps its index
 * and its rows; the same file (path and build-id) at the same address gets them
 * back, another file at that address does not.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "ledger/export.h"

/* Whether dlclose leads here: a file stays the same one until it is closed. */
extern HIDDEN bool modules_see_unloading;

/* How often a file was found to be unloaded. Only grows. */
extern HIDDEN uint32_t modules_unloaded;

/* Find what libc offers; any number of times. */
void modules_open(void);

/* Index in the ledger's module table, 0 when the address is in no module. */
uint32_t modules_find(uintptr_t address);

/* Whether two addresses lie in the same loaded file. */
bool modules_are_same(const void *a, const void *b);

/* The path of the loaded file that `address` lies in, or NULL. */
const char *modules_path_of(const void *address);

/* Whether an address lies in the dynamic loader. */
bool modules_is_loader(uintptr_t address);

/* Put to sleep the file that `address` lies in: it is about to be unloaded. */
void modules_close(uintptr_t address);

/* Put to sleep what is no longer loaded. Called after dlclose. */
void modules_close_unloaded(void);
