/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object_names.h - the names of variables, by their address in an ELF file
 *
 * Of 32 and of 64 bits and of any machine, for the file may be firmware. Slabs,
 * heaps, threads and stacks are variables there.
 */
#ifndef TALLY_TOOL_SYMBOLS_OBJECT_NAMES_H
#define TALLY_TOOL_SYMBOLS_OBJECT_NAMES_H

#include <stdbool.h>
#include <stdint.h>

struct object_names;

struct object_name {
    const char *name; /* lives as long as the struct object_names */
    uint64_t offset;  /* of the address in the variable */
};

/*
 * NULL with the reason, which is static, in `why`. A file without symbols has
 * no names, and that is no failure.
 */
struct object_names *object_names_open(const char *path, const char **why);
void object_names_close(struct object_names *names);

/* The variable at `address`, as the file counts, or that holds it. */
bool object_names_find(const struct object_names *names, uint64_t address,
                       struct object_name *name);

/* That name as a programmer wrote it, and its offset; for free(). */
char *object_name_text(const struct object_name *object);

/* Whether it runs where it was linked for: addresses in memory are its own. */
bool object_names_is_fixed(const struct object_names *names);

/* Bytes of memory that all its variables take. */
uint64_t object_names_ram_bytes(const struct object_names *names);

/* Whether an address lies in that memory. */
bool object_names_is_ram(const struct object_names *names, uint64_t address);

#endif /* TALLY_TOOL_SYMBOLS_OBJECT_NAMES_H */
