/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elf_facts.h - what a program file says of recording it
 *
 * Asked also between fork and exec: little stack, and no calls but the
 * caller's.
 */
#ifndef TALLY_FORMAT_ELF_FACTS_H
#define TALLY_FORMAT_ELF_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/sanitizer_runtimes.h"

enum { ELF_FACTS_HEAD = 256 }; /* of a script, the kernel reads as much */

/* As pread(); what is less than 1 is nothing. */
typedef long elf_facts_read_fn(int fd, void *into, size_t size,
                               uint64_t offset);

struct elf_facts {
    const char *interpreter; /* of a script, in `head`; or NULL */
    bool is_elf;             /* with a whole header; else no more is said */
    bool is_damaged;         /* headers that lead outside the file */
    bool is_narrow;          /* 32 bits; else no more is said */
    bool is_big_endian;
    bool has_loader; /* asks for one */
    bool has_musl;   /* ... that is musl's */
    bool has_name;   /* a shared object, such as the loader itself */
    bool is_loader;  /* ... which it is, and glibc's */
    uint16_t machine;
    const struct sanitizer_runtime *runtime; /* that it needs, or NULL */
    char head[ELF_FACTS_HEAD + 1];
};

/* Of an open file, whose position stays. */
void elf_facts_read(int fd, elf_facts_read_fn *read_at,
                    struct elf_facts *facts);

#endif /* TALLY_FORMAT_ELF_FACTS_H */
