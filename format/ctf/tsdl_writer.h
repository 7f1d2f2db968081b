/* SPDX-License-Identifier: Apache-2.0 */
/* tsdl_writer.h - building blocks of TSDL metadata */
#pragma once

#include "format/text_out.h"

/*
 * Format text: %s a string, %u a uint32_t, %x a uint64_t as 0x and 16 digits,
 * %q a string literal without quotes, backslashes and unprintable characters.
 */
void tsdl_put(struct text_out *text, const char *format, ...);

/* Body of a struct; %s its fields. */
#define TSDL_STRUCT " := struct {\n%s};\n"

/* Declare unsigned, little-endian integers named "<name><bits>_t". `more` is
   TSDL_TIME or "". */
#define TSDL_TIME " map = clock.monotonic.value;"
void tsdl_put_integer(struct text_out *text, unsigned bits, unsigned alignment,
                      const char *more, const char *name);

/* Declare address_t, shown in hexadecimal. */
void tsdl_put_address(struct text_out *text, unsigned bits);

/* Objects that can have a name. */
enum ctf_named {
    CTF_NAMED_THREAD, /* by its id */
    CTF_NAMED_REGION, /* by its address */
};

struct ctf_name {
    const char *name; /* NULL ends the list */
    uint64_t number;
    enum ctf_named what;
};

/* Metadata other than the layout of the stream. */
struct ctf_surroundings {
    uint64_t clock_zero_ns; /* time since 1970 at the clock's zero; 0:
                               unknown */
    const char *program;    /* path of the executable; NULL: unknown */
    uint64_t load_address;  /* addresses in memory minus those in its file */
    uint32_t process;       /* pid; 0: unknown */
    /* Bytes between samples: only sampled blocks are recorded; 0: all are. */
    uint64_t sample_interval;
    const struct ctf_name *names; /* NULL: none */
};

/* Write the trace with the fields of its packet header (NULL: no packets), the
   environment, and a clock of 1 GHz named monotonic. */
void tsdl_put_trace(struct text_out *text, const char *packet_header,
                    const struct ctf_surroundings *surroundings);
