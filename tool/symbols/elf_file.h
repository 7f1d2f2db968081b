/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elf_file.h - which ELF file it is, and the names of variables by address
 *
 * Of 32 and of 64 bits and of any machine, for the file may be firmware. Slabs,
 * heaps, threads and stacks are variables there.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ELF_BUILD_ID_CAPACITY = 64 };

/* Which file it is, where its code lies, and how calls return there. */
struct elf_identity {
    uint8_t build_id[ELF_BUILD_ID_CAPACITY];
    size_t build_id_size; /* 0: it has none */
    bool is_fixed;        /* not ET_DYN: addresses are as linked */
    bool is_program;      /* ET_EXEC: it runs at these addresses */
    bool has_thumb;       /* bit 0 of a return address is no part of it */
    uint64_t low, high;   /* what its segments span, as the file counts */
};

/* 0, or -1 with the reason, which is static, in `why`. */
int elf_identity_read(const char *path, struct elf_identity *identity,
                      const char **why);

/* An entry of a table that is sorted by address. */
struct address_name {
    uint64_t address;
    uint64_t size;
    const char *name;
    int merit; /* more is better, among names of one address */
};

/* For qsort(): the best name of an address comes last. */
int address_name_compare(const void *left, const void *right);

/* Only the first two are for callers. */
struct object_names {
    struct elf_identity identity;
    uint64_t ram_bytes; /* that all its variables take */
    struct address_name *entries;
    size_t entry_count;
    struct elf_extent *ram; /* sections that the program writes to */
    size_t ram_count;
};

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

/* Whether an address lies in memory that variables take. */
bool object_names_is_ram(const struct object_names *names, uint64_t address);
