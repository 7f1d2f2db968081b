/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tsdl_writer.h - the pieces that a text of TSDL is put together from
 *
 * A piece without room is counted and left out, so that the writer need not
 * ask. No piece allocates.
 */
#ifndef TALLY_FORMAT_TSDL_WRITER_H
#define TALLY_FORMAT_TSDL_WRITER_H

#include "format/text_out.h"

/* The value's decimal digits. */
void tsdl_put_number(struct text_out *text, uint32_t value);

/* 0x and 16 digits. */
void tsdl_put_hexadecimal(struct text_out *text, uint64_t value);

/* A string literal; what would end it or not print is left out. */
void tsdl_put_literal(struct text_out *text, const char *value);

/* NAME := struct { FIELDS }; */
void tsdl_put_struct(struct text_out *text, const char *name,
                     const char *fields);

/*
 * Integers called "<name><bits>_t", unsigned, little-endian as the trace is.
 * `more` is TSDL_TIME or "".
 */
#define TSDL_TIME " map = clock.monotonic.value;"
void tsdl_put_integer(struct text_out *text, unsigned bits, unsigned alignment,
                      const char *more, const char *name);

/* address_t, shown in hexadecimal. */
void tsdl_put_address(struct text_out *text, unsigned bits);

/*
 * Of an environment: the program's file, and what its addresses in memory are
 * above those in the file. NULL: nothing is known.
 */
void tsdl_put_program(struct text_out *text, const char *program,
                      uint64_t load_address);

/* A clock of 1 GHz called monotonic; its zero since 1970, or 0: not known. */
void tsdl_put_clock(struct text_out *text, uint64_t zero_ns);

#endif /* TALLY_FORMAT_TSDL_WRITER_H */
