/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own_allocator.h - whether the executable brings malloc itself
 *
 * Its own calls go past us then, and so do those of its libraries. tally record looks
 * at the program that it starts; this is for those that it becomes, or starts, by
 * exec, and sees what the dynamic linker sees. Any thread; takes no lock, calls
 * nobody.
 */
#ifndef TALLY_RECORDER_OWN_ALLOCATOR_H
#define TALLY_RECORDER_OWN_ALLOCATOR_H

#include "ledger/export.h"

/* The function by which it shows, "malloc"; NULL: there is none. */
HIDDEN const char *own_allocator_symbol(void);

#endif /* TALLY_RECORDER_OWN_ALLOCATOR_H */
