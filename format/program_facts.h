/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program_facts.h - what a program file, and its command, say of recording it
 *
 * Asked also between fork and exec: little stack, and no calls but the
 * caller's.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A library that replaces malloc and does not work behind a recorder. A program
 * that needs one is not recorded: `tally record` refuses it, and as a child it
 * runs without the preload and is named. The same runtime inside an executable
 * is an allocator of its own, which goes past us.
 */
struct sanitizer_runtime {
    const char *library;   /* how the library's name begins */
    const char *sanitizer; /* its name */
    const char *option;    /* of the compiler: -fsanitize=... */
    const char *trouble;   /* what it does behind a preload */
};

/* The first runtime in a list like LD_PRELOAD's, or that one library is; or
   NULL. */
const struct sanitizer_runtime *sanitizer_runtime_of(const char *libraries);

enum { PROGRAM_FACTS_HEAD = 256 }; /* of a script, the kernel reads as much */

/* As pread(). A result below 1 means: no bytes were read. */
typedef long program_facts_read_fn(int fd, void *into, size_t size,
                                   uint64_t offset);

struct program_facts {
    const char *interpreter; /* of a script, in `head`; or NULL */
    bool is_elf;             /* with a whole header; else no more is said */
    bool is_damaged;         /* headers that lead outside the file */
    bool is_foreign; /* for another processor, word size or byte order than we
                        are; no more is said of 32 bits */
    bool has_loader; /* asks for one */
    bool has_musl;   /* ... that is musl's */
    bool has_name;   /* a shared object, such as the loader itself */
    bool is_loader;  /* ... which it is, and glibc's */
    const struct sanitizer_runtime *runtime; /* that it needs, or NULL */
    char head[PROGRAM_FACTS_HEAD + 1];
};

/* Of an open file, whose position stays. */
void program_facts_read(int fd, program_facts_read_fn *read_at,
                        struct program_facts *facts);

/*
 * The program that glibc's loader at `path` runs with these arguments, the
 * first of which is its own name; `path` itself where it is no loader or runs
 * none.
 */
const char *loader_program(const char *path, char *const arguments[]);

/* Return the program that QEMU's user-mode emulator at `path` runs, which
   inherits LD_PRELOAD; NULL where `path` is none or runs none. */
const char *emulated_program(const char *path, char *const arguments[]);
