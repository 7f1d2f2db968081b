/* SPDX-License-Identifier: Apache-2.0 */
/* elf_option.c - see elf_option.h */
#include "tool/commands/elf_option.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tool/commands/complaint.h"

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

int elf_option_add(const struct elf_option *elf, struct caller_modules *modules)
{
    struct source_failure failure;

    if (elf->path == NULL)
        return COMMAND_DONE;
    if (caller_modules_add(modules, elf->path,
                           elf->has_load_address ? &elf->load_address : NULL,
                           &failure) < 0)
        return complain_about_source(elf->path, &failure);
    return COMMAND_DONE;
}
