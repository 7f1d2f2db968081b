/* SPDX-License-Identifier: Apache-2.0 */
/* caller_modules.c - see caller_modules.h */
#include "tool/model/trace/caller_modules.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/ledger/ledger_reader.h"
#include "tool/files/regular_file.h"
#include "tool/model/sources/load_ledger.h"

static int identify(struct caller_module *module, const char *path,
                    const uint64_t *load_address,
                    struct source_failure *failure)
{
    const char *why;

    if (elf_identity_read(path, &module->identity, &why) < 0)
        return source_fail(failure, why, "name the program's file with --elf");
    if (!module->identity.is_fixed && load_address == NULL)
        return source_fail(failure,
                           "it may have been loaded at any address, and the "
                           "trace does not say at which",
                           "give it with --load-address=ADDRESS");
    if (load_address != NULL)
        module->bias = *load_address;
    module->path = realpath(path, NULL);
    return module->path == NULL ? source_no_memory(failure) : 0;
}

/* The module is ours from here on. */
static int add(struct caller_modules *modules, struct caller_module *module,
               struct source_failure *failure)
{
    struct caller_module *items =
        reallocarray(modules->items, modules->count + 1, sizeof *items);

    if (items == NULL || module->path == NULL) {
        free(module->path);
        return source_no_memory(failure);
    }
    modules->items = items;
    items[modules->count++] = *module;
    return 0;
}

bool is_ledger_file(const char *path)
{
    int descriptor = regular_file_open(AT_FDCWD, path, O_RDONLY);
    unsigned char bytes[LEDGER_MAGIC_SIZE];
    ssize_t got = descriptor < 0 ? 0 : read(descriptor, bytes, sizeof bytes);

    if (descriptor >= 0)
        close(descriptor);
    return got > 0 && is_ledger(bytes, (size_t)got);
}

static int add_view(struct caller_modules *modules,
                    const struct ledger_reader *reader,
                    const struct ledger_module_view *view,
                    struct source_failure *failure)
{
    struct caller_module module = {
        .path = strndup((const char *)view->path.bytes, view->path.length),
        .identity = {
            .build_id_size = view->build_id_size,
            .is_fixed = true,
            .low = view->start - view->bias,
            .high = view->end - view->bias,
        },
        .bias = view->bias,
    };
    struct ledger_text_view program = reader->process.program;

    memcpy(module.identity.build_id, view->build_id, view->build_id_size);
    module.is_executable =
        view->path.length == program.length &&
        memcmp(view->path.bytes, program.bytes, program.length) == 0;
    return add(modules, &module, failure);
}

/* What was loaded last at an address is what is there: first those still are. */
static int add_views(struct caller_modules *modules,
                     struct ledger_reader *reader,
                     struct source_failure *failure)
{
    const uint32_t limit = ledger_reader_module_limit(reader);
    int error = 0;

    for (unsigned pass = 0; pass < 2; pass++) {
        for (uint32_t i = 1; error == 0 && i < limit; i++) {
            struct ledger_module_view view;
            bool is_unloaded;

            if (ledger_reader_module(reader, i, &view) <= 0 ||
                view.path.length == 0)
                continue;
            is_unloaded = view.state == LEDGER_MODULE_UNLOADED;
            if (is_unloaded == (pass == 1))
                error = add_view(modules, reader, &view, failure);
        }
    }
    return error;
}

static int add_ledger(struct caller_modules *modules, const char *path,
                      struct source_failure *failure)
{
    struct ledger_reader reader;
    struct source source;
    int error;

    if (source_open_file(&source, path, failure) < 0)
        return -1;
    error = ledger_reader_open(&reader, source.bytes, source.size);
    if (error != LEDGER_E_OK)
        error = source_fail(failure, ledger_error_why(error),
                            ledger_error_advice(error));
    else
        error = add_views(modules, &reader, failure);
    source_close(&source);
    modules->has_all = error == 0;
    return error;
}

int caller_modules_add(struct caller_modules *modules, const char *path,
                       const uint64_t *load_address,
                       struct source_failure *failure)
{
    struct caller_module module = { .is_executable = true };

    if (is_ledger_file(path))
        return add_ledger(modules, path, failure);
    if (identify(&module, path, load_address, failure) < 0)
        return -1;
    return add(modules, &module, failure);
}

int caller_modules_find(const struct caller_modules *modules, uint64_t caller,
                        uint64_t *place)
{
    for (size_t i = 0; i < modules->count; i++) {
        const struct elf_identity *identity = &modules->items[i].identity;
        uint64_t address = caller - modules->items[i].bias;

        if (identity->has_thumb)
            address &= ~UINT64_C(1);
        if (address > identity->low && address <= identity->high) {
            *place = address;
            return (int)i;
        }
    }
    return -1;
}

void caller_modules_close(struct caller_modules *modules)
{
    for (size_t i = 0; i < modules->count; i++)
        free(modules->items[i].path);
    free(modules->items);
    *modules = (struct caller_modules){ 0 };
}
