/* SPDX-License-Identifier: Apache-2.0 */
/* tsdl_writer.h - the pieces that metadata in TSDL are put together from */
#pragma once

#include "format/text_out.h"

/*
 * %s a text, %u a uint32_t, %x a uint64_t as 0x and 16 digits, %q a string
 * literal: what would end it or not print is left out.
 */
void tsdl_put(struct text_out *text, const char *format, ...);

/* Behind the name of one; %s its fields. */
#define TSDL_STRUCT " := struct {\n%s};\n"

/*
 * Integers called "<name><bits>_t", unsigned, little-endian as the trace is.
 * `more` is TSDL_TIME or "".
 */
#define TSDL_TIME " map = clock.monotonic.value;"
void tsdl_put_integer(struct text_out *text, unsigned bits, unsigned alignment,
                      const char *more, const char *name);

/* address_t, shown in hexadecimal. */
void tsdl_put_address(struct text_out *text, unsigned bits);

/* What a name is given to. */
enum ctf_named {
    CTF_NAMED_THREAD, /* by its id */
    CTF_NAMED_REGION, /* by its address */
};

struct ctf_name {
    const char *name; /* NULL: the list ends here */
    uint64_t number;
    enum ctf_named what;
};

/* What metadata say besides how a stream lies. */
struct ctf_surroundings {
    uint64_t clock_zero_ns; /* since 1970 where the clock is 0; 0: not known */
    const char *program;    /* path of its file; NULL: not known */
    uint64_t load_address;  /* addresses in memory less those in its file */
    uint32_t process;       /* its number; 0: not known */
    /* Bytes between samples: calls are those of sampled blocks; 0: of all. */
    uint64_t sample_interval;
    const struct ctf_name *names; /* NULL: none */
};

/* The trace with the fields of its packets' header, NULL: no packets; the
   environment, and a clock of 1 GHz called monotonic. */
void tsdl_put_trace(struct text_out *text, const char *packet_header,
                    const struct ctf_surroundings *surroundings);
