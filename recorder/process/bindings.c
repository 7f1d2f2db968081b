/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bindings.c - binding functions of an allocator; see allocators.h
 *
 * Words are written through /proc/self/mem, which keeps the protection of their
 * pages: the loader may still be at work on them.
 */
#include "recorder/process/allocators.h"

#include <fcntl.h>
#include <link.h>
#include <string.h>

#include "format/allocator_names.h"
#include "ports/posix/loaded_files.h"
#include "ports/posix/raw_calls.h"
#include "recorder/calls/recording.h"

struct binding {
    const char *marker;  /* a function of each version */
    const char *prefix;  /* prefix of the allocator's names */
    const char *library; /* part of its file's name */
    uintptr_t start, size;
    bool is_malloc;     /* malloc is this allocator's, too */
    int memory;         /* descriptor of /proc/self/mem */
    const char *missed; /* a function that bypasses us, or NULL */
};

#define BINDING(marker_, prefix_, library_, operators) \
    { .marker = marker_, .prefix = prefix_, .library = library_ },
static struct binding all[] = { ALLOCATORS(BINDING) };

enum { ALL = sizeof all / sizeof *all, WORDS = DT_JMPREL + 1 };

struct file {
    uintptr_t bias;
    uintptr_t words[WORDS]; /* of its dynamic section, by tag */
    const uint32_t *hash;   /* GNU's hash table, or NULL */
    const ElfW(Sym) * symbols;
    const char *names;
    bool is_allocator;
};

/* Return the hook for a function of the allocator, or NULL. The function itself
   is `code`, if that is not NULL. */
static void *hook_of(const struct binding *binding, const char *name,
                     void *code)
{
    const char *rest = allocator_own_name(name, binding->prefix);
    void *hook;

    if (rest == NULL)
        return NULL;
    hook = prefixed_entry(rest, code);
    return hook == NULL && binding->is_malloc ? new_delete_entry(rest) : hook;
}

static void write_word(struct binding *binding, const void *at, uintptr_t word)
{
    if (raw_call(SYS_pwrite64, binding->memory, RAW_ARGUMENT(&word),
                 sizeof word, RAW_ARGUMENT(at), 0, 0) != sizeof word)
        binding->missed = "/proc/self/mem";
}

/* Bind later references to the hooks. GNU's table has the first symbol of each
   chain, and the hashes of all: bit 0 is set in the last of a chain. */
static void bind_symbols(struct binding *binding, const struct file *file)
{
    const uint32_t *firsts = file->hash + 4 + 2 * (size_t)file->hash[2];
    const uint32_t *hashes = firsts + file->hash[0] - file->hash[1];

    for (const uint32_t *first = firsts; first < firsts + *file->hash;
         first++) {
        for (uint32_t n = *first; n != 0; n = hashes[n] & 1 ? 0 : n + 1) {
            const ElfW(Sym) *symbol = &file->symbols[n];
            void *hook = hook_of(binding, file->names + symbol->st_name,
                                 (void *)(file->bias + symbol->st_value));

            if (hook != NULL)
                write_word(binding, &symbol->st_value,
                           (uintptr_t)hook - file->bias);
        }
    }
}

/*
 * Bind the references of a file. An unbound word has no address in the
 * allocator, except in the allocator's own file: its references to itself stay
 * there. Functions of mimalloc that return blocks, and have no hook, are
 * recognized by name.
 */
static void bind_references(struct binding *binding, const struct file *file,
                            int table, size_t size)
{
    const ElfW(Rela) *at = (const void *)file->words[table];

    for (const ElfW(Rela) *end = at + size / sizeof *at; at < end; at++) {
        const ElfW(Sym) *symbol = &file->symbols[ELF64_R_SYM(at->r_info)];
        const char *name = file->names + symbol->st_name;
        uintptr_t *word = (void *)(file->bias + at->r_offset);
        void *hook = hook_of(binding, name, NULL);

        if (hook != NULL && *word - binding->start < binding->size)
            write_word(binding, word,
                       file->is_allocator ? file->bias + symbol->st_value
                                          : (uintptr_t)hook);
        else if (hook == NULL && !file->is_allocator &&
                 text_after(name, "mi_") != NULL &&
                 strstr(name, "_size") == NULL &&
                 (strstr(name, "alloc") != NULL || strstr(name, "dup") != NULL))
            binding->missed = name;
    }
}

/* Bind one file. glibc has added the bias to addresses that it can write. */
static void bind_file(struct binding *binding, const struct link_map *map)
{
    struct file file = { .bias = map->l_addr };

    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_GNU_HASH)
            file.hash = (const void *)entry->d_un.d_ptr;
        else if ((uintptr_t)entry->d_tag < WORDS)
            file.words[entry->d_tag] = entry->d_un.d_val;
    }
    file.symbols = (const void *)file.words[DT_SYMTAB];
    file.names = (const void *)file.words[DT_STRTAB];
    file.is_allocator = (uintptr_t)map->l_ld - binding->start < binding->size;
    if (file.words[DT_STRTAB] < map->l_addr) /* the kernel's vDSO */
        return;
    bind_references(binding, &file, DT_RELA, file.words[DT_RELASZ]);
    bind_references(binding, &file, DT_JMPREL, file.words[DT_PLTRELSZ]);
    if (file.is_allocator && file.hash != NULL)
        bind_symbols(binding, &file);
    else if (file.is_allocator)
        binding->missed = binding->marker;
}

static void bind_allocator(struct binding *binding)
{
    const struct r_debug *loader = loaded_symbols_find("_r_debug");
    const struct link_map *map = loader == NULL ? NULL : loader->r_map;
    void *found = NULL, *own_malloc;
    const struct loaded_symbol wanted = { binding->marker, &found };
    struct loaded_file file;

    loaded_symbols_find_all(&wanted, 1, _DYNAMIC, NULL);
    if (found == NULL || !loaded_files_find((uintptr_t)found, &file))
        return;
    binding->start = file.start;
    binding->size = file.end - file.start;
    binding->missed = binding->marker;
    /* unless another allocator has these names already */
    if (map == NULL ||
        prefixed_entry(text_after(binding->marker, binding->prefix), found) ==
            NULL)
        return;
    binding->missed = NULL;
    memcpy(&own_malloc, &real.malloc, sizeof own_malloc);
    binding->is_malloc = (uintptr_t)own_malloc - binding->start < binding->size;
    if (!binding->is_malloc)
        real_functions_mixed();
    binding->memory = (int)raw_open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    for (; map != NULL; map = map->l_next)
        bind_file(binding, map);
    raw_close(binding->memory);
}

void bindings_apply(char missed[SESSION_SYMBOL_CAPACITY])
{
    static bool are_bound;
    size_t size;

    for (size_t i = 0; i < ALL; i++) {
        if (!are_bound)
            bind_allocator(&all[i]);
        if (all[i].missed == NULL || *missed != '\0')
            continue;
        size = strnlen(all[i].missed, SESSION_SYMBOL_CAPACITY - 1);
        memcpy(missed, all[i].missed, size);
        missed[size] = '\0';
    }
    are_bound = true;
}

bool bindings_miss(const char *file)
{
    for (size_t i = 0; i < ALL; i++) {
        if (all[i].size == 0 && strstr(base_name(file), all[i].library) != NULL)
            return true;
    }
    return false;
}
