/* SPDX-License-Identifier: Apache-2.0 */
/*
 * safe_place.h - judging where a stopped thread may be made to call a function
 *
 * Not where it is in the loader, an allocator, the unwinder or a signal
 * handler: they hold locks, or have half done what the call finds. All that the
 * thread is in shows on its stack, which is followed to its end by the
 * unwinding information of the files that are mapped. A lock that another
 * thread holds is given back while the call waits for it.
 *
 * Debian's libc has no names of its inner functions, and `free` jumps to one of
 * them. So where libc is on the stack, either all its functions there have
 * names and none is on the list of those that lock or allocate, or the program
 * called one that does nothing but wait.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tool/attach/tracee.h"

struct safe_place;

enum { SAFE_PLACE_WHY_SIZE = 128 };

/* Reads the files of the program, which runs. NULL with the reason. */
struct safe_place *safe_place_open(const struct tracee *tracee);
void safe_place_close(struct safe_place *place);

/* Look again which files are mapped, when some may have come or gone. */
void safe_place_refresh(struct safe_place *place);

/* Return true if the loader's list of files is whole, false while a file is
   loaded. */
bool safe_place_is_loader_idle(const struct safe_place *place);

/* Return true if the stopped thread may call a function; else `why` reads on
   after "thread 12": "is in the allocator (malloc)". */
bool safe_place_look(struct safe_place *place, pid_t tid,
                     char why[SAFE_PLACE_WHY_SIZE]);

/* Return true if a stopped thread is in those bytes of code or returns to them,
   or if its callers cannot be found. */
bool safe_place_is_in(struct safe_place *place, pid_t tid, uint64_t start,
                      uint64_t size);

/* Return the address of an exported symbol of libc or its loader, or 0. */
uint64_t safe_place_symbol(const struct safe_place *place, const char *name);
