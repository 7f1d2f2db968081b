/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program_facts.h - inspect a program file and its command before recording
 *
 * The functions also run between fork and exec: they use little stack and call
 * only the caller's function.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A library that replaces malloc and does not work after a recorder. `tally
 * record` refuses a program that needs one; a child that needs one runs without
 * the preload and is reported. A runtime linked into an executable is its own
 * allocator, which the recorder does not see.
 */
struct sanitizer_runtime {
    const char *library;   /* first part of the library's name */
    const char *sanitizer; /* its name */
    const char *option;    /* compiler option: -fsanitize=... */
    const char *trouble;   /* what it does when preloaded after the recorder */
};

/* Return the first runtime in a list such as LD_PRELOAD, or the one that is
   this library; or NULL. */
const struct sanitizer_runtime *sanitizer_runtime_of(const char *libraries);

/* bytes read of a script, as many as the kernel reads */
enum { PROGRAM_FACTS_HEAD = 256 };

/* Like pread(), but a result below 1 means that no bytes were read. */
typedef long program_facts_read_fn(int fd, void *into, size_t size,
                                   uint64_t offset);

struct program_facts {
    const char *interpreter; /* of a script, in `head`; or NULL */
    bool is_elf; /* with a complete header; else the other fields are not set */
    bool is_damaged; /* headers that point outside the file */
    bool is_foreign; /* for another processor, word size or byte order than
                        ours; for 32 bits the other fields are not set */
    bool has_loader; /* needs a dynamic loader */
    bool has_musl;   /* ... which is musl's */
    bool has_name;   /* has a soname: a shared object, such as the loader */
    bool is_loader;  /* ... which is glibc's loader */
    const struct sanitizer_runtime *runtime; /* runtime that it needs, or
                                                NULL */
    char head[PROGRAM_FACTS_HEAD + 1];
};

/* Inspect an open file, without moving its position. */
void program_facts_read(int fd, program_facts_read_fn *read_at,
                        struct program_facts *facts);

/*
 * Return the program that glibc's loader at `path` runs with these arguments,
 * the first of which is its own name; or `path` if it is not a loader or runs
 * none.
 */
const char *loader_program(const char *path, char *const arguments[]);

/* Return the program that QEMU's user-mode emulator at `path` runs, which
   inherits LD_PRELOAD; or NULL if `path` is no emulator or runs none. */
const char *emulated_program(const char *path, char *const arguments[]);
