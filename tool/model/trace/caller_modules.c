/* SPDX-License-Identifier: Apache-2.0 */
/* caller_modules.c - see trace_figures.h */
#include "tool/model/trace/trace_figures.h"

#include <fcntl.h>

#include "tool/files/files.h"

static int identify(struct caller_module *module, const char *path,
                    const uint64_t *load_address,
                    struct source_failure *failure)
{
    struct elf_identity identity;
    const char *why;

    if (elf_identity_read(path, &identity, &why) < 0)
        return source_fail(failure, why, "name the program's file with --elf");
    if (!identity.is_fixed && load_address == NULL)
        return source_fail(
            failure,
            "load address unknown: the program is position-independent",
            "give it with --load-address=ADDRESS");
    *module = (struct caller_module){
        .file = { .path = memory_or_exit(realpath(path, NULL)),
                  .build_id_size = (uint32_t)identity.build_id_size,
                  .bias = load_address == NULL ? 0 : *load_address,
                  .is_executable = true },
        .low = identity.low,
        .high = identity.high,
        .has_thumb = identity.has_thumb,
    };
    memcpy(module->file.build_id, identity.build_id, identity.build_id_size);
    return 0;
}

/* Open a file that begins like a ledger; return -1 for others. */
static int open_ledger(const char *path)
{
    int descriptor = regular_file_open(AT_FDCWD, path, O_RDONLY);
    unsigned char bytes[LEDGER_MAGIC_SIZE];
    ssize_t got =
        descriptor < 0 ? 0 : pread(descriptor, bytes, sizeof bytes, 0);

    if (got > 0 && is_ledger(bytes, (size_t)got))
        return descriptor;
    if (descriptor >= 0)
        close(descriptor);
    return -1;
}

bool is_ledger_file(const char *path)
{
    int descriptor = open_ledger(path);

    if (descriptor >= 0)
        close(descriptor);
    return descriptor >= 0;
}

static void add_view(struct caller_modules *modules,
                     const struct ledger_reader *reader,
                     const struct ledger_module_view *view)
{
    struct ledger_text_view program = reader->process.program;
    struct caller_module module = {
        .file = {
            .path = memory_or_exit(
                strndup((const char *)view->path.bytes, view->path.length)),
            .build_id_size = view->build_id_size,
            .bias = view->bias,
            .is_executable =
                view->path.length == program.length &&
                memcmp(view->path.bytes, program.bytes, program.length) == 0,
        },
        .low = view->start - view->bias,
        .high = view->end - view->bias,
    };

    memcpy(module.file.build_id, view->build_id, view->build_id_size);
    ARRAY_ADD(modules->items, modules->count, module);
}

/* Add modules that are loaded first, for they are found first. */
static void add_views(struct caller_modules *modules,
                      struct ledger_reader *reader)
{
    const uint32_t limit = ledger_reader_module_limit(reader);

    for (unsigned pass = 0; pass < 2; pass++) {
        for (uint32_t i = 1; i < limit; i++) {
            struct ledger_module_view view;

            if (ledger_reader_module(reader, i, &view) > 0 &&
                view.path.length != 0 &&
                (view.state == LEDGER_MODULE_UNLOADED) == (pass == 1))
                add_view(modules, reader, &view);
        }
    }
}

static int add_ledger(struct caller_modules *modules, int descriptor,
                      struct source_failure *failure)
{
    struct ledger_reader reader;
    struct source source = { 0 };
    int error = source_read(&source, descriptor, NULL, failure);
    int why =
        error < 0 ? 0 : ledger_reader_open(&reader, source.bytes, source.size);

    if (error == 0 && why != LEDGER_E_OK)
        error = source_fail(failure, ledger_error_why(why),
                            ledger_error_advice(why));
    if (error == 0)
        add_views(modules, &reader);
    source_close(&source);
    modules->has_all = error == 0;
    return error;
}

int caller_modules_add(struct caller_modules *modules, const char *path,
                       const uint64_t *load_address,
                       struct source_failure *failure)
{
    struct caller_module module;
    int ledger = open_ledger(path), error;

    if (ledger < 0) {
        error = identify(&module, path, load_address, failure);
        if (error == 0)
            ARRAY_ADD(modules->items, modules->count, module);
        return error;
    }
    error = add_ledger(modules, ledger, failure);
    close(ledger);
    return error;
}

int caller_modules_find(const struct caller_modules *modules, uint64_t caller,
                        uint64_t *place)
{
    for (size_t i = 0; i < modules->count; i++) {
        const struct caller_module *module = &modules->items[i];
        uint64_t address = caller - module->file.bias;

        if (module->has_thumb)
            address &= ~UINT64_C(1);
        if (address > module->low && address <= module->high) {
            *place = address;
            return (int)i;
        }
    }
    return -1;
}

void caller_modules_close(struct caller_modules *modules)
{
    for (size_t i = 0; i < modules->count; i++)
        free(modules->items[i].file.path);
    free(modules->items);
    *modules = (struct caller_modules){ 0 };
}

struct known_caller {
    uint64_t caller;
    const char *name;
};

struct caller_names {
    const struct caller_modules *modules;
    struct symbols *symbols;
    struct index_table table;
    struct known_caller *known;
    size_t count;
};

struct caller_names *caller_names_open(const struct caller_modules *modules)
{
    struct caller_names *names = memory_zeroed(1, sizeof *names);

    names->modules = modules;
    names->symbols = symbols_create(NULL, DEMANGLE_WITH_ARGUMENTS);
    for (size_t i = 0; i < modules->count; i++) {
        const struct profile_module *file = &modules->items[i].file;

        symbols_add_module(names->symbols, file->path, file->build_id,
                           file->build_id_size);
    }
    return names;
}

void caller_names_close(struct caller_names *names)
{
    if (names == NULL)
        return;
    symbols_destroy(names->symbols);
    index_table_free(&names->table);
    free(names->known);
    free(names);
}

const char *caller_names_find(struct caller_names *names, uint64_t caller)
{
    const struct known_caller added = { .caller = caller };
    size_t count = names->count;
    struct symbol symbol;
    uint32_t number;
    uint64_t place;
    int module;

    if (names->modules->count == 0)
        return NULL;
    number = INDEX_ADD(&names->table, sizeof added.caller, names->known,
                       names->count, &added);
    if (number == count) {
        module = caller_modules_find(names->modules, caller, &place);
        if (module >= 0 && symbols_find(names->symbols, module, place, &symbol))
            names->known[number].name = symbol.function;
    }
    return names->known[number].name;
}
