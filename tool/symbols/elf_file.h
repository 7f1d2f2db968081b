/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elf_file.h - identify ELF files, and find variables by address
 *
 * Files may have 32 or 64 bits and be of any machine, such as firmware, where
 * slabs, heaps, threads and stacks are variables.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ELF_BUILD_ID_CAPACITY = 64 };

/* Identity of a file, its address range, and its form of return addresses. */
struct elf_identity {
    uint8_t build_id[ELF_BUILD_ID_CAPACITY];
    size_t build_id_size; /* 0: none */
    bool is_fixed;        /* not ET_DYN: addresses are as linked */
    bool is_program;      /* ET_EXEC: runs at its linked addresses */
    bool has_thumb;       /* clear bit 0 of return addresses */
    uint64_t low, high;   /* address range of its segments */
};

/* Return 0, or -1 with a static reason in `why`. */
int elf_identity_read(const char *path, struct elf_identity *identity,
                      const char **why);

/* Name of a variable or function, in a table sorted by address. */
struct address_name {
    uint64_t address;
    uint64_t size;
    const char *name;
    int merit; /* higher is better among names of one address */
};

/* Compare for qsort(): by address, the best name last. */
int address_name_compare(const void *left, const void *right);

/* Variables of a file. Callers use the first two members only. */
struct object_names {
    struct elf_identity identity;
    uint64_t ram_bytes; /* bytes of all variables */
    struct address_name *entries;
    size_t entry_count;
    struct elf_extent *ram; /* sections that the program writes to */
    size_t ram_count;
};

struct object_name {
    const char *name; /* valid as long as the struct object_names */
    uint64_t offset;  /* offset of the address in the variable */
};

/*
 * Open the file's variables. Return NULL with a static reason in `why`; a file
 * without symbols has no names, which is no failure.
 */
struct object_names *object_names_open(const char *path, const char **why);
void object_names_close(struct object_names *names);

/* Find the variable that contains `address`, as linked. */
bool object_names_find(const struct object_names *names, uint64_t address,
                       struct object_name *name);

/* Return true if the address lies in a section of variables. */
bool object_names_is_ram(const struct object_names *names, uint64_t address);
