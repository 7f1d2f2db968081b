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

/* After mlockall: unlock what we have mapped, and map unlocked from now on. */
void pages_unlock(void *pages, size_t size);
void pages_set_locking(bool is_locked);
bool pages_are_locked(void);

/* Keep a range of ours out of core files and huge pages. */
void pages_advise(void *pages, size_t size);
