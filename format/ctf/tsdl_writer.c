/* SPDX-License-Identifier: Apache-2.0 */
/* tsdl_writer.c - see tsdl_writer.h */
#include "format/ctf/tsdl_writer.h"

void tsdl_put_bytes(struct tsdl_text *text, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++, text->length++) {
        if (text->length < text->capacity)
            text->out[text->length] = bytes[i];
    }
}

void tsdl_put(struct tsdl_text *text, const char *piece)
{
    for (; *piece != '\0'; piece++)
        tsdl_put_bytes(text, piece, 1);
}

void tsdl_put_number(struct tsdl_text *text, uint32_t value)
{
    char digits[11] = { 0 };
    size_t first = sizeof digits - 1;

    do {
        digits[--first] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    tsdl_put(text, digits + first);
}

void tsdl_put_hexadecimal(struct tsdl_text *text, uint64_t value)
{
    tsdl_put(text, "0x");
    for (unsigned shift = 64; shift > 0;) {
        char digit[2] = { 0 };

        shift -= 4;
        digit[0] = "0123456789abcdef"[value >> shift & 15];
        tsdl_put(text, digit);
    }
}

void tsdl_put_literal(struct tsdl_text *text, const char *value)
{
    tsdl_put(text, "\"");
    for (; *value != '\0'; value++) {
        char piece[2] = { *value, '\0' };

        if ((unsigned char)*value >= ' ' && *value != '"' && *value != '\\')
            tsdl_put(text, piece);
    }
    tsdl_put(text, "\"");
}

void tsdl_put_struct(struct tsdl_text *text, const char *name,
                     const char *fields)
{
    tsdl_put(text, name);
    tsdl_put(text, " := struct {\n");
    tsdl_put(text, fields);
    tsdl_put(text, "};\n");
}

void tsdl_put_integer(struct tsdl_text *text, unsigned bits, unsigned alignment,
                      const char *more, const char *name)
{
    tsdl_put(text, "typealias integer { size = ");
    tsdl_put_number(text, bits);
    tsdl_put(text, "; align = ");
    tsdl_put_number(text, alignment);
    tsdl_put(text, "; signed = false;");
    tsdl_put(text, more);
    tsdl_put(text, " } := ");
    tsdl_put(text, name);
    tsdl_put_number(text, bits);
    tsdl_put(text, "_t;\n");
}

void tsdl_put_address(struct tsdl_text *text, unsigned bits)
{
    tsdl_put(text, "typealias integer { size = ");
    tsdl_put_number(text, bits);
    tsdl_put(text, "; align = 8; signed = false; base = hex; } := "
                   "address_t;\n");
}

void tsdl_put_program(struct tsdl_text *text, const char *program,
                      uint64_t load_address)
{
    if (program == NULL)
        return;
    tsdl_put(text, "\tprogram = ");
    tsdl_put_literal(text, program);
    tsdl_put(text, ";\n\tload_address = \"");
    tsdl_put_hexadecimal(text, load_address);
    tsdl_put(text, "\";\n");
}

void tsdl_put_clock(struct tsdl_text *text, uint64_t zero_ns)
{
    tsdl_put(text, "clock {\n\tname = monotonic;\n\tfreq = 1000000000;\n");
    if (zero_ns != 0) {
        tsdl_put(text, "\toffset = ");
        tsdl_put_hexadecimal(text, zero_ns);
        tsdl_put(text, ";\n\tabsolute = true;\n");
    }
    tsdl_put(text, "};\n\n");
}
