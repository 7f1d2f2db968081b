/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pages.h - memory of our own, that the program does not notice
 *
 * tally_port_pages_alloc and tally_port_pages_free of tally/port.h, by system
 * calls: never dumped into a core file, never a huge page, and never locked in
 * memory, whatever mlockall the program called.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * A variable that stays when the recorder begins anew in a process, because
 * something outlives what it was about. Not for what others expect to be zero.
 */
#define KEPT __attribute__((section("tally_kept")))

/* Give back all that tally_port_pages_alloc() has given and that was not given
   back, as far as it was noted. */
void pages_release(void);

/* Whether any were given since the process began, or since that. */
bool pages_were_given(void);

/* After mlockall: unlock what we have mapped, and map unlocked from now on. */
void pages_unlock(void *pages, size_t size);
void pages_set_locking(bool is_locked);
bool pages_are_locked(void);

/* Keep a range of ours out of core files and huge pages. */
void pages_advise(void *pages, size_t size);
