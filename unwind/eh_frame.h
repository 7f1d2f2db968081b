/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eh_frame.h - the call frame information of an address, in a loaded file
 *
 * Found through the sorted table of .eh_frame_hdr (Linux Standard Base, section
 * 10.6). The bytes are the program's, mapped by the loader, and not trusted:
 * everything is read within the file's own range.
 */
#ifndef TALLY_UNWIND_EH_FRAME_H
#define TALLY_UNWIND_EH_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/cfi_program.h"

/* Where the file's .eh_frame begins, as its header says; 0: it does not. */
uintptr_t eh_frame_start(const struct eh_frame_file *file);

/* False: there is none for `address`. */
bool eh_frame_find(const struct eh_frame_file *file, uintptr_t address,
                   struct cfi_entry *entry);

/* The entry that begins at `fde`. */
bool eh_frame_read(const struct eh_frame_file *file, uintptr_t fde,
                   struct cfi_entry *entry);

#endif /* TALLY_UNWIND_EH_FRAME_H */
