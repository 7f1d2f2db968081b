/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bindings.h - extra functions of an allocator that is a shared library
 *
 * For example mallocx, mi_malloc, tc_free. The recorder exports no such name:
 * weak references and dlsym would find it in programs without that allocator.
 * Instead it binds the references of all loaded files to itself, and changes
 * the allocator's symbol table for later ones.
 */
#pragma once

#include <stdbool.h>

#include "format/ledger/session_layout.h"

/*
 * Bind, in the thread that opens a ledger, before it does. If a function that
 * returns blocks bypasses the recorder, write its name to `missed` unless that
 * is set. Bindings are permanent.
 */
void bindings_apply(char missed[SESSION_SYMBOL_CAPACITY]);

/* Return true if `file`, about to be loaded, is an allocator by its name: it
   comes too late to be bound, as other threads run. */
bool bindings_miss(const char *file);
