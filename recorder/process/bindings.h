/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bindings.h - functions of an allocator's own, where it is a shared library
 *
 * mallocx, mi_malloc, tc_free. The recorder exports no such name: weak
 * references and dlsym would find it in programs without that allocator. It
 * binds the references of all loaded files to itself instead, and changes the
 * allocator's symbol table for later ones.
 */
#pragma once

#include <stdbool.h>

#include "format/ledger/session_layout.h"

/* Before a ledger is opened, by the thread that opens it. Write the name of a
   function that hands out blocks past the recorder to `missed` if that is "".
   What was bound once stays so. */
void bindings_apply(char missed[SESSION_SYMBOL_CAPACITY]);

/* Return true if `file`, about to be loaded, is an allocator's by its name, and
   comes too late to be bound: other threads run. */
bool bindings_miss(const char *file);
