/* SPDX-License-Identifier: Apache-2.0 */
/* tsdl_writer.c - see ctf_stream.h */
#include "format/ctf/ctf_stream.h"

#include <stdarg.h>

static void put_number(struct text_out *text, uint32_t value)
{
    char digits[TEXT_DIGITS];

    text_put_bytes(text, digits,
                   (size_t)(text_put_digits(digits, value, 10) - digits));
}

static void put_hexadecimal(struct text_out *text, uint64_t value)
{
    text_put(text, "0x");
    for (unsigned shift = 64; shift > 0;) {
        shift -= 4;
        text_put_bytes(text, &"0123456789abcdef"[value >> shift & 15], 1);
    }
}

static void put_literal(struct text_out *text, const char *value)
{
    text_put(text, "\"");
    for (; *value != '\0'; value++) {
        if ((unsigned char)*value >= ' ' && *value != '"' && *value != '\\')
            text_put_bytes(text, value, 1);
    }
    text_put(text, "\"");
}

void tsdl_put(struct text_out *text, const char *format, ...)
{
    va_list given;

    va_start(given, format);
    for (; *format != '\0'; format++) {
        if (*format != '%')
            text_put_bytes(text, format, 1);
        else if (*++format == 's')
            text_put(text, va_arg(given, const char *));
        else if (*format == 'q')
            put_literal(text, va_arg(given, const char *));
        else if (*format == 'u')
            put_number(text, va_arg(given, uint32_t));
        else
            put_hexadecimal(text, va_arg(given, uint64_t));
    }
    va_end(given);
}

void tsdl_put_integer(struct text_out *text, unsigned bits, unsigned alignment,
                      const char *more, const char *name)
{
    tsdl_put(text,
             "typealias integer { size = %u; align = %u; signed = false;%s } "
             ":= %s%u_t;\n",
             bits, alignment, more, name, bits);
}

void tsdl_put_address(struct text_out *text, unsigned bits)
{
    tsdl_put(text,
             "typealias integer { size = %u; align = 8; signed = false; base = "
             "hex; } := address_t;\n",
             bits);
}

static void put_environment(struct text_out *text,
                            const struct ctf_surroundings *surroundings)
{
    tsdl_put(text, "env {\n\ttracer_name = \"tally\";\n");
    if (surroundings->program != NULL)
        tsdl_put(text, "\tprogram = %q;\n\tload_address = \"%x\";\n",
                 surroundings->program, surroundings->load_address);
    if (surroundings->process != 0)
        tsdl_put(text, "\tvpid = %u;\n", surroundings->process);
    if (surroundings->sample_interval != 0)
        tsdl_put(text, "\tsample_interval = %x;\n",
                 surroundings->sample_interval);
    for (const struct ctf_name *name = surroundings->names;
         name != NULL && name->name != NULL; name++) {
        if (name->what == CTF_NAMED_THREAD)
            tsdl_put(text, "\tthread_%u", (uint32_t)name->number);
        else
            tsdl_put(text, "\tregion_%x", name->number);
        tsdl_put(text, " = %q;\n", name->name);
    }
    tsdl_put(text, "};\n\n");
}

void tsdl_put_trace(struct text_out *text, const char *packet_header,
                    const struct ctf_surroundings *surroundings)
{
    tsdl_put(text, "trace {\nmajor = 1;\nminor = 8;\nbyte_order = le;\n");
    if (packet_header != NULL)
        tsdl_put(text, "packet.header" TSDL_STRUCT, packet_header);
    tsdl_put(text, "};\n\n");
    put_environment(text, surroundings);
    tsdl_put(text, "clock {\n\tname = monotonic;\n\tfreq = 1000000000;\n");
    if (surroundings->clock_zero_ns != 0)
        tsdl_put(text, "\toffset = %x;\n\tabsolute = true;\n",
                 surroundings->clock_zero_ns);
    tsdl_put(text, "};\n\n");
}
