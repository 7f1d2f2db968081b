/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own_allocator.c - see own_allocator.h
 *
 * By the executable's own hash table, DT_GNU_HASH: dlsym would also find what is
 * only the place of a call, and allocates where it finds nothing.
 */
#define _GNU_SOURCE
#include "recorder/own_allocator.h"

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

/* What is needed of the executable's dynamic section. */
struct tables {
    const uint32_t *hash;
    const ElfW(Sym) * symbols;
    const char *names;
};

/* glibc has added the bias to these words where they can be written. */
static const void *at(uintptr_t address, uintptr_t bias)
{
    return (const void *)(address < bias ? address + bias : address);
}

static bool find_tables(struct tables *tables)
{
    const ElfW(Phdr) *headers = (const void *)getauxval(AT_PHDR);
    size_t count = headers == NULL ? 0 : getauxval(AT_PHNUM);
    const ElfW(Dyn) *entry = NULL;
    uintptr_t bias = 0, dynamic = 0;
    bool is_placed = false;

    for (size_t i = 0; i < count; i++) {
        if (headers[i].p_type == PT_PHDR) {
            bias = (uintptr_t)headers - headers[i].p_vaddr;
            is_placed = true;
        } else if (headers[i].p_type == PT_DYNAMIC) {
            dynamic = headers[i].p_vaddr;
        }
    }
    /* Nothing else says where it lies; the dynamic linker itself has none. */
    if (dynamic == 0 || !is_placed)
        return false;
    *tables = (struct tables){ NULL, NULL, NULL };
    for (entry = (const void *)(dynamic + bias); entry->d_tag != DT_NULL;
         entry++) {
        if (entry->d_tag == DT_GNU_HASH)
            tables->hash = at(entry->d_un.d_ptr, bias);
        else if (entry->d_tag == DT_SYMTAB)
            tables->symbols = at(entry->d_un.d_ptr, bias);
        else if (entry->d_tag == DT_STRTAB)
            tables->names = at(entry->d_un.d_ptr, bias);
    }
    return tables->hash != NULL && tables->symbols != NULL &&
           tables->names != NULL;
}

static uint32_t hash_of(const char *name)
{
    uint32_t hash = 5381;

    for (; *name != '\0'; name++)
        hash = hash * 33 + (unsigned char)*name;
    return hash;
}

/*
 * The table is four words, the filter, a bucket each for the first symbol of a
 * chain, and the hashes of all from symbol `first` on; the last of a chain has bit 0.
 */
static bool defines(const struct tables *tables, const char *name)
{
    uint32_t bucket_count = tables->hash[0], first = tables->hash[1];
    const ElfW(Addr) *filter = (const void *)&tables->hash[4];
    const uint32_t *buckets = (const void *)&filter[tables->hash[2]];
    const uint32_t *chains = buckets + bucket_count;
    uint32_t hash = hash_of(name);
    uint32_t number = bucket_count == 0 ? 0 : buckets[hash % bucket_count];

    if (number < first)
        return false;
    for (;; number++) {
        const ElfW(Sym) *symbol = &tables->symbols[number];
        uint32_t its_hash = chains[number - first];

        if ((its_hash | 1) == (hash | 1) && symbol->st_shndx != SHN_UNDEF &&
            strcmp(tables->names + symbol->st_name, name) == 0)
            return true;
        if ((its_hash & 1) != 0)
            return false;
    }
}

const char *own_allocator_symbol(void)
{
    struct tables tables;

    return find_tables(&tables) && defines(&tables, "malloc") ? "malloc" : NULL;
}
