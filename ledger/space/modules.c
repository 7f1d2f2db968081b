/* SPDX-License-Identifier: Apache-2.0 */
/*
 * modules.c - the ledger's table of loaded files
 *
 * The list below is private: a forked child keeps it.
 */
#define _GNU_SOURCE
#include "ledger/space/modules.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#include "format/ledger/ledger_layout.h"
#include "ledger/space/ledger_writer.h"
#include "ledger/space/process.h"
#include "ports/posix/loaded_files.h"
#include "ports/posix/page_map.h"
#include "ports/posix/raw_calls.h"

enum { MODULE_CAPACITY = 1024 };

struct known_module {
    uintptr_t start;
    uintptr_t end;
    uint32_t index; /* in the ledger; stored last */
    uint32_t is_loaded;
    uint32_t build_id_size;
    uint8_t build_id[LEDGER_BUILD_ID_CAPACITY];
    uint64_t path_hash;
    const void *entry; /* the loader's list entry */
};

static struct known_module known[MODULE_CAPACITY];
static uint32_t known_count;

static uintptr_t loader_start, loader_end;

bool modules_is_loader(uintptr_t address)
{
    return address - loader_start < loader_end - loader_start;
}

void modules_open(void)
{
    struct loaded_file file;

    loaded_files_open();
    if (!loaded_files_find(getauxval(AT_BASE), &file))
        return;
    __atomic_store_n(&loader_start, file.start, __ATOMIC_RELAXED);
    __atomic_store_n(&loader_end, file.end, __ATOMIC_RELAXED);
}

bool modules_are_same(const void *a, const void *b)
{
    struct loaded_file first, second;

    return loaded_files_find((uintptr_t)a, &first) &&
           loaded_files_find((uintptr_t)b, &second) &&
           first.start == second.start;
}

const char *modules_path_of(const void *address)
{
    struct loaded_file file;

    return loaded_files_find((uintptr_t)address, &file) ? file.name : NULL;
}

/* Copy the build-id among the notes at `notes` into `into`; return its size. */
static uint32_t read_notes(const unsigned char *notes, size_t size,
                           uint8_t *into)
{
    size_t at = 0;

    while (at + sizeof(ElfW(Nhdr)) <= size) {
        const ElfW(Nhdr) *note = (const void *)(notes + at);
        size_t name = at + sizeof *note;
        size_t text = name + ((note->n_namesz + 3u) & ~3u);
        size_t next = text + ((note->n_descsz + 3u) & ~3u);

        if (next > size || next <= at)
            return 0;
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
            memcmp(notes + name, "GNU", 4) == 0) {
            uint32_t length = note->n_descsz < LEDGER_BUILD_ID_CAPACITY
                                  ? note->n_descsz
                                  : LEDGER_BUILD_ID_CAPACITY;

            memcpy(into, notes + text, length);
            return length;
        }
        at = next;
    }
    return 0;
}

static uint32_t read_build_id(const struct loaded_file *file, uint8_t *into)
{
    size_t count = 0;
    const ElfW(Phdr) *headers = loaded_files_headers(file, &count);

    for (size_t i = 0; headers != NULL && i < count; i++) {
        uintptr_t from = file->bias + headers[i].p_vaddr;
        uintptr_t start, end;
        uint32_t length;

        if (headers[i].p_type != PT_NOTE ||
            !loaded_files_segment(file, from, &start, &end) ||
            headers[i].p_memsz > end - from ||
            !readable_file(from, headers[i].p_memsz + 1))
            continue;
        length = read_notes((const void *)from, headers[i].p_memsz, into);
        if (length != 0)
            return length;
    }
    return 0;
}

static uint64_t hash_text(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

    while (*text != '\0')
        hash = (hash ^ (unsigned char)*text++) * UINT64_C(0x100000001b3);
    return hash;
}

/* Write an absolute path: the executable has no name in the loader's list, and
   some names are relative. */
static __attribute__((noinline)) struct ledger_text write_path(const char *name)
{
    char path[128]; /* small: this also runs in signal handlers */
    long length;
    size_t used = strlen(name);

    if (used == 0)
        return process.header->program;
    if (name[0] == '/' || name[strcspn(name, "/")] == '\0' ||
        sandbox_is_closed())
        return ledger_write_text(name, used);
    length = raw_call(SYS_getcwd, RAW_ARGUMENT(path), sizeof path, 0, 0, 0, 0);
    if (length <= 0 || (size_t)length + used >= sizeof path)
        return ledger_write_text(name, used);
    path[length - 1] = '/'; /* replaces the terminating zero */
    memcpy(path + length, name, used);
    return ledger_write_text(path, (size_t)length + used);
}

/* Add a module. `path` is written before, which keeps the stack small. */
static NOINLINE uint32_t add_module(const struct loaded_file *file,
                                    const struct known_module *as,
                                    struct ledger_text path)
{
    struct ledger_module record = {
        .state = LEDGER_MODULE_LOADED,
        .build_id_size = as->build_id_size,
        .start = file->start,
        .end = file->end,
        .bias = file->bias,
        .path = path,
    };
    uint32_t slot, index;

    memcpy(record.build_id, as->build_id, sizeof record.build_id);
    index = ledger_write_module(&record);
    slot = __atomic_fetch_add(&known_count, 1, __ATOMIC_RELAXED);
    if (slot >= MODULE_CAPACITY || index == 0)
        return index;
    known[slot] = *as; /* with index 0 */
    known[slot].is_loaded = 1;
    __atomic_store_n(&known[slot].index, index, __ATOMIC_RELEASE);
    return index;
}

uint32_t modules_unloaded;

static void set_state(struct known_module *module, bool is_loaded)
{
    struct ledger_module *record = ledger_module_at(module->index);

    if (__atomic_exchange_n(&module->is_loaded, is_loaded, __ATOMIC_ACQ_REL) ==
        is_loaded)
        return;
    __atomic_store_n(&record->state,
                     is_loaded ? LEDGER_MODULE_LOADED : LEDGER_MODULE_UNLOADED,
                     __ATOMIC_RELEASE);
    if (is_loaded)
        return;
    __atomic_fetch_add(&modules_unloaded, 1, __ATOMIC_SEQ_CST);
    process_drop_stacks();
    site_table_sleep(&heap_sites, module->start, module->end);
    site_table_sleep(&map_sites, module->start, module->end);
    site_table_sleep(&space_sites, module->start, module->end);
}

static struct known_module *next_known(uint32_t *i)
{
    while (*i < MODULE_CAPACITY &&
           *i < __atomic_load_n(&known_count, __ATOMIC_ACQUIRE)) {
        struct known_module *module = &known[(*i)++];

        if (__atomic_load_n(&module->index, __ATOMIC_ACQUIRE) != 0)
            return module;
    }
    return NULL;
}

static bool is_at_same_place(const struct known_module *module,
                             const struct known_module *as)
{
    return module->start == as->start && module->end == as->end &&
           module->path_hash == as->path_hash;
}

bool modules_see_unloading;

/*
 * Return the index of a file that was seen before and not closed since, or 0.
 * If libc's own dlclose was called, another file may have this list entry: its
 * path tells it apart, or it is taken for the first.
 */
static uint32_t find_unchanged(const struct known_module *as)
{
    const struct known_module *module;
    uint32_t i = 0;

    if (!modules_see_unloading || as->entry == NULL)
        return 0;
    while ((module = next_known(&i)) != NULL) {
        if (module->entry == as->entry && is_at_same_place(module, as) &&
            __atomic_load_n(&module->is_loaded, __ATOMIC_ACQUIRE) != 0)
            return module->index;
    }
    return 0;
}

static uint32_t find_file(const struct loaded_file *file)
{
    struct known_module as = { .path_hash = hash_text(file->name),
                               .entry = file->entry,
                               .start = file->start,
                               .end = file->end },
                        *module;
    uint32_t found, i = 0;

    found = find_unchanged(&as);
    if (found != 0)
        return found;
    as.build_id_size = read_build_id(file, as.build_id);
    while ((module = next_known(&i)) != NULL) {
        if (module->start >= as.end || module->end <= as.start)
            continue;
        if (is_at_same_place(module, &as) &&
            module->build_id_size == as.build_id_size &&
            memcmp(module->build_id, as.build_id, as.build_id_size) == 0) {
            __atomic_store_n(&module->entry, file->entry, __ATOMIC_RELAXED);
            set_state(module, true);
            found = module->index;
        } else {
            set_state(module, false); /* unloaded, unnoticed by us */
        }
    }
    return found != 0 ? found : add_module(file, &as, write_path(file->name));
}

uint32_t modules_find_near(uintptr_t address, struct module_range *near)
{
    struct loaded_file file;

    if (address - near->start < near->end - near->start)
        return near->module;
    if (!loaded_files_find(address, &file))
        return 0;
    *near = (struct module_range){ file.start, file.end, find_file(&file) };
    return near->module;
}

void modules_close(uintptr_t address)
{
    struct known_module *module;

    for (uint32_t i = 0; (module = next_known(&i)) != NULL;) {
        if (address - module->start < module->end - module->start)
            set_state(module, false);
    }
}

void modules_close_unloaded(void)
{
    struct known_module *module;
    struct loaded_file file;

    for (uint32_t i = 0; (module = next_known(&i)) != NULL;) {
        if (module->is_loaded &&
            (!loaded_files_find(module->start, &file) ||
             file.start != module->start || file.end != module->end))
            set_state(module, false);
    }
}
