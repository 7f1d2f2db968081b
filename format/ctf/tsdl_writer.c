/* SPDX-License-Identifier: Apache-2.0 */
/* tsdl_writer.c - see tsdl_writer.h */
#include "format/ctf/tsdl_writer.h"

void tsdl_put_number(struct text_out *text, uint32_t value)
{
    char digits[TEXT_DIGITS];

    text_put_bytes(text, digits,
                   (size_t)(text_put_digits(digits, value, 10) - digits));
}

void tsdl_put_hexadecimal(struct text_out *text, uint64_t value)
{
    text_put(text, "0x");
    for (unsigned shift = 64; shift > 0;) {
        char digit[2] = { 0 };

        shift -= 4;
        digit[0] = "0123456789abcdef"[value >> shift & 15];
        text_put(text, digit);
    }
}

void tsdl_put_literal(struct text_out *text, const char *value)
{
    text_put(text, "\"");
    for (; *value != '\0'; value++) {
        char piece[2] = { *value, '\0' };

        if ((unsigned char)*value >= ' ' && *value != '"' && *value != '\\')
            text_put(text, piece);
    }
    text_put(text, "\"");
}

void tsdl_put_struct(struct text_out *text, const char *name,
                     const char *fields)
{
    text_put(text, name);
    text_put(text, " := struct {\n");
    text_put(text, fields);
    text_put(text, "};\n");
}

void tsdl_put_integer(struct text_out *text, unsigned bits, unsigned alignment,
                      const char *more, const char *name)
{
    text_put(text, "typealias integer { size = ");
    tsdl_put_number(text, bits);
    text_put(text, "; align = ");
    tsdl_put_number(text, alignment);
    text_put(text, "; signed = false;");
    text_put(text, more);
    text_put(text, " } := ");
    text_put(text, name);
    tsdl_put_number(text, bits);
    text_put(text, "_t;\n");
}

void tsdl_put_address(struct text_out *text, unsigned bits)
{
    text_put(text, "typealias integer { size = ");
    tsdl_put_number(text, bits);
    text_put(text, "; align = 8; signed = false; base = hex; } := "
                   "address_t;\n");
}

void tsdl_put_program(struct text_out *text, const char *program,
                      uint64_t load_address)
{
    if (program == NULL)
        return;
    text_put(text, "\tprogram = ");
    tsdl_put_literal(text, program);
    text_put(text, ";\n\tload_address = \"");
    tsdl_put_hexadecimal(text, load_address);
    text_put(text, "\";\n");
}

void tsdl_put_clock(struct text_out *text, uint64_t zero_ns)
{
    text_put(text, "clock {\n\tname = monotonic;\n\tfreq = 1000000000;\n");
    if (zero_ns != 0) {
        text_put(text, "\toffset = ");
        tsdl_put_hexadecimal(text, zero_ns);
        text_put(text, ";\n\tabsolute = true;\n");
    }
    text_put(text, "};\n\n");
}
