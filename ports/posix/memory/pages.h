/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pages.h - Tally's own memory, invisible to the program
 *
 * tally_port_pages_alloc() and tally_port_pages_free() of tally/port.h use
 * system calls. Their pages are never in core files, huge only after
 * tally_port_pages_fill(), and never locked in memory, even if the program
 * called mlockall().
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * Attribute of a variable that keeps its value when the recorder restarts in a
 * process, because its subject persists. Not for variables that others expect
 * to be zero.
 */
#define KEPT __attribute__((section("tally_kept")))

/* Free all allocations of tally_port_pages_alloc() that are remembered. */
void pages_release(void);

/* Return true if pages were allocated since the process began or
   pages_release(). */
bool pages_were_given(void);

/* After mlockall(): unlock Tally's mappings, and create new ones unlocked. */
void pages_unlock(void *pages, size_t size);
void pages_set_locking(bool is_locked);
bool pages_are_locked(void);

/* Exclude a range of Tally's from core files and huge pages. */
void pages_advise(void *pages, size_t size);
