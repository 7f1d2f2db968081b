/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cfi_program.h - running the instructions of call frame information
 *
 * From the CIE's and FDE's programs to the row of one instruction. Nothing is
 * allocated; the bytes are not trusted.
 */
#ifndef TALLY_UNWIND_CFI_PROGRAM_H
#define TALLY_UNWIND_CFI_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/cfi_bytes.h"
#include "unwind/cfi_row.h"

/* A loaded file. Its table and its frames may lie in different segments. */
struct eh_frame_file {
    uintptr_t start, end; /* can be read */
    uintptr_t header;     /* .eh_frame_hdr, in there; 0: it has none */
    uintptr_t frames_start, frames_end; /* can be read, with .eh_frame */
};

/* What eh_frame.h found for one address. */
struct cfi_entry {
    uintptr_t start, end; /* code that it describes */
    uint64_t code_align;
    int64_t data_align;
    uint8_t encoding; /* of addresses, DW_EH_PE_* */
    bool is_signal;
    struct cfi_bytes initial; /* the CIE's instructions */
    struct cfi_bytes own;     /* the FDE's */
};

enum { CFI_REMEMBERED = 8 };

/* 6 KiB of scratch: not for the stack of others. */
struct cfi_machine {
    struct eh_frame_file file;
    struct cfi_entry entry;
    struct cfi_row row; /* the result */
    struct cfi_row first;
    struct cfi_row remembered[CFI_REMEMBERED];
};

/* From machine->entry to machine->row. False: it cannot be worked out. */
bool cfi_program_run(struct cfi_machine *machine, uintptr_t address);

#endif /* TALLY_UNWIND_CFI_PROGRAM_H */
