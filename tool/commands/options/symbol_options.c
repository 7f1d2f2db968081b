/* SPDX-License-Identifier: Apache-2.0 */
/* symbol_options.c - see symbol_options.h */
#include "tool/commands/options/symbol_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tool/commands/options/complaint.h"
#include "tool/model/trace/trace_folder.h"

int symbol_option_take(const char *name, const char *value, void *field)
{
    struct symbols_search *search = field;
    struct stat status;

    (void)name;
    if (value == NULL) {
        search->network = SYMBOLS_DEBUGINFOD;
        return COMMAND_GO_ON;
    }
    if (stat(value, &status) != 0 || !S_ISDIR(status.st_mode))
        return complain(
            value, "there is no such folder",
            "give --sysroot one that the machine's files are below");
    search->sysroot = value;
    return COMMAND_GO_ON;
}

int elf_option_take_load_address(const char *name, const char *value,
                                 void *field)
{
    struct elf_option *elf = field;

    errno = 0;
    elf->load_address = strtoull(value, NULL, 16);
    elf->has_load_address = true;
    if (strncmp(value, "0x", 2) != 0 || value[2] == '\0' ||
        value[2 + strspn(value + 2, "0123456789abcdefABCDEF")] != '\0' ||
        errno != 0)
        return complain(name, "its argument is not an address",
                        "give one such as 0x555555554000");
    return COMMAND_GO_ON;
}

int elf_option_take_metadata(const char *name, const char *value, void *whole)
{
    struct source_failure failure;

    (void)name;
    (void)whole;
    return trace_metadata_give(value, &failure) == 0
               ? COMMAND_GO_ON
               : complain_about_source(value, &failure);
}

const char *elf_option_program(const struct elf_option *elf)
{
    return elf->path == NULL || is_ledger_file(elf->path) ? NULL : elf->path;
}

int elf_option_add(const struct elf_option *elf,
                   const struct trace_program *program,
                   struct caller_modules *modules)
{
    const char *known =
        program->ledger != NULL ? program->ledger : program->path;
    const char *path = elf->path != NULL ? elf->path : known;
    const uint64_t *load_address = NULL;
    struct source_failure failure;

    if (path == NULL)
        return COMMAND_DONE;
    if (elf->has_load_address)
        load_address = &elf->load_address;
    else if (program->has_load_address)
        load_address = &program->load_address;
    if (caller_modules_add(modules, path, load_address, &failure) == 0 ||
        (elf->path == NULL && !failure.is_memory))
        return COMMAND_DONE;
    return complain_about_source(path, &failure);
}
