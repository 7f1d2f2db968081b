/* SPDX-License-Identifier: Apache-2.0 */
/*
 * readable.h - whether memory can be read now
 *
 * The kernel is asked by a call that reads 4 bytes and does nothing. What it says may
 * be otherwise the next moment, where another thread unmaps.
 */
#ifndef TALLY_PORTS_POSIX_READABLE_H
#define TALLY_PORTS_POSIX_READABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The page of `address`. False also where the program may not ask. */
bool readable_page(uintptr_t address);

/*
 * All pages of `size` bytes, at least 1, of a file that was loaded; true where the
 * program may not ask, for they hardly ever go away.
 */
bool readable_file(uintptr_t from, size_t size);

#endif /* TALLY_PORTS_POSIX_READABLE_H */
