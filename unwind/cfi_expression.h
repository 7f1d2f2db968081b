/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cfi_expression.h - DWARF expressions in call frame information
 *
 * DWARF 5, section 2.5, without what needs an object or a frame base. Reads
 * registers and memory only through what it is given.
 */
#ifndef TALLY_UNWIND_CFI_EXPRESSION_H
#define TALLY_UNWIND_CFI_EXPRESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/cfi_program.h"

/* Both return false for what cannot be known. Register CFI_RETURN is the
   address at which the frame goes on. */
struct cfi_reader {
    bool (*read_register)(void *context, unsigned number, uint64_t *value);
    bool (*read_memory)(void *context, uint64_t address, uint64_t *value);
    void *context;
};

/*
 * Work out the expression of `place`, with `*value` on the stack at the
 * beginning when `has_value`. False: it cannot be worked out.
 */
bool cfi_expression_run(const struct cfi_place *place,
                        const struct cfi_reader *reader, bool has_value,
                        uint64_t *value);

#endif /* TALLY_UNWIND_CFI_EXPRESSION_H */
