/* SPDX-License-Identifier: Apache-2.0 */
/* entries.c - see attach.h */
#include "tool/attach/attach.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/text_after.h"
#include "tool/patch/patch.h"

/* A file that is mapped from its beginning. */
struct module {
    uint64_t start;
    const char *name; /* without folders */
    int fd;           /* -1: it cannot be opened */
    char path[32];    /* of the descriptor */
};

typedef bool module_fn(const struct module *module, void *context);

/* Call `see` with each module whose name begins with `file` until it returns
   true, which is returned. */
static bool see_modules(pid_t pid, const char *file, module_fn *see,
                        void *context)
{
    struct smaps maps = { .file = process_file(pid, "maps") };
    struct smaps_entry entry;
    bool is_found = false;

    while (!is_found && smaps_next(&maps, &entry)) {
        struct module module = { .start = entry.start,
                                 .name = base_name(entry.path) };

        if (entry.path[0] != '/' || entry.offset != 0 ||
            text_after(module.name, file) == NULL)
            continue;
        module.fd = process_mapped_open(pid, &entry);
        snprintf(module.path, sizeof module.path, "/proc/self/fd/%d",
                 module.fd);
        is_found = see(&module, context);
        if (module.fd >= 0)
            close(module.fd);
    }
    smaps_end(&maps);
    return is_found;
}

/* Run-time addresses minus those in the file. */
static bool find_bias(Elf *elf, uint64_t start, uint64_t *bias)
{
    GElf_Ehdr header;
    GElf_Phdr segment;

    if (gelf_getehdr(elf, &header) == NULL)
        return false;
    for (int i = 0; gelf_getphdr(elf, i, &segment) != NULL; i++) {
        if (segment.p_type != PT_LOAD)
            continue;
        *bias = start - segment.p_vaddr + segment.p_offset;
        return segment.p_offset == 0;
    }
    return false;
}

static uint64_t find_symbol(Elf *elf, const char *name)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    GElf_Sym symbol;

    while ((section = elf_nextscn(elf, section)) != NULL) {
        Elf_Data *data = elf_getdata(section, NULL);

        if (gelf_getshdr(section, &header) == NULL ||
            header.sh_type != SHT_DYNSYM || data == NULL)
            continue;
        for (int i = 0; gelf_getsym(data, i, &symbol) != NULL; i++) {
            const char *found = elf_strptr(elf, header.sh_link, symbol.st_name);

            if (symbol.st_shndx != SHN_UNDEF && found != NULL &&
                strcmp(found, name) == 0)
                return symbol.st_value;
        }
    }
    return 0;
}

/* Read the bias of one file and the address of `name` in it; 0: it has none. */
static bool read_module(const struct module *module, const char *name,
                        uint64_t *bias, uint64_t *address)
{
    Elf *elf = NULL;
    bool is_read = false;

    if (module->fd >= 0 && elf_version(EV_CURRENT) != EV_NONE)
        elf = elf_begin(module->fd, ELF_C_READ, NULL);
    if (elf != NULL && find_bias(elf, module->start, bias)) {
        *address = find_symbol(elf, name);
        if (*address != 0)
            *address += *bias;
        is_read = true;
    }
    elf_end(elf);
    return is_read;
}

struct search {
    const char *name;
    uint64_t address;
};

static bool see_symbol(const struct module *module, void *context)
{
    struct search *search = context;
    uint64_t bias;

    return read_module(module, search->name, &bias, &search->address) &&
           search->address != 0;
}

uint64_t entries_find(pid_t pid, const char *file, const char *name)
{
    struct search search = { .name = name };

    return see_modules(pid, file, see_symbol, &search) ? search.address : 0;
}

struct planning {
    struct patch_plan *plan;
    struct stat executable;
    const char *prefix;
    char why[PATCH_WHY_SIZE];
    char refused[SMAPS_PATH_CAPACITY + PATCH_WHY_SIZE];
};

static bool is_libc(const struct module *module)
{
    return strncmp(module->name, "libc.so", 7) == 0 ||
           strncmp(module->name, "libc-2", 6) == 0;
}

static bool is_ours(const struct module *module)
{
    return strncmp(module->name, "libtally-record", 15) == 0;
}

/* Plan the malloc family of one file; after a failure the plan is empty. */
static bool add_family(const struct module *module, struct planning *planning)
{
    uint64_t bias, malloc_at;

    if (is_ours(module))
        return false;
    if (!read_module(module, "malloc", &bias, &malloc_at)) {
        if (strstr(module->name, "malloc") != NULL)
            snprintf(planning->refused, sizeof planning->refused,
                     "%s was replaced or cannot be read", module->name);
        return false;
    }
    if (patch_plan_add(planning->plan, module->path, bias, PATCH_FAMILY,
                       planning->why))
        return true;
    *planning->plan = (struct patch_plan){ 0 };
    if (malloc_at != 0 && planning->why[0] != '\0')
        snprintf(planning->refused, sizeof planning->refused, "%s: %s",
                 module->name, planning->why);
    return false;
}

static bool see_executable(const struct module *module, void *context)
{
    struct planning *planning = context;
    struct stat status;

    return fstat(module->fd, &status) == 0 &&
           status.st_ino == planning->executable.st_ino &&
           status.st_dev == planning->executable.st_dev &&
           add_family(module, planning);
}

static bool see_other(const struct module *module, void *context)
{
    return !is_libc(module) && add_family(module, context);
}

static bool see_libc(const struct module *module, void *context)
{
    struct planning *planning = context;

    if (!is_libc(module) || !add_family(module, planning))
        return false;
    planning->plan->is_libc = 1;
    return true;
}

static bool see_services(const struct module *module, void *context)
{
    struct planning *planning = context;
    uint64_t bias, unused;

    return is_libc(module) && read_module(module, "mmap", &bias, &unused) &&
           patch_plan_add(planning->plan, module->path, bias, PATCH_SERVICES,
                          planning->why);
}

static bool see_prefixed(const struct module *module, void *context)
{
    struct planning *planning = context;
    uint64_t bias, unused;

    if (is_ours(module) || is_libc(module) ||
        !read_module(module, "", &bias, &unused))
        return false;
    /* A file that has the allocator but cannot be patched ends the search. */
    return patch_plan_add_prefixed(planning->plan, module->path, bias,
                                   planning->prefix, planning->why) ||
           planning->why[0] != '\0';
}

int entries_plan(pid_t pid, const char *prefix, struct patch_plan *plan,
                 struct session_failure *failure)
{
    struct planning planning = { .plan = plan, .prefix = prefix };
    char path[32];
    bool is_found;

    *plan = (struct patch_plan){ 0 };
    snprintf(path, sizeof path, "/proc/%ld/exe", (long)pid);
    is_found = stat(path, &planning.executable) == 0 &&
               see_modules(pid, "", see_executable, &planning);
    if (!is_found && planning.refused[0] == '\0')
        is_found = see_modules(pid, "", see_other, &planning);
    if (!is_found && planning.refused[0] == '\0')
        is_found = see_modules(pid, "", see_libc, &planning);
    if (!is_found)
        return session_fail(
            failure, "attach: %s; start the program under tally record",
            planning.refused[0] != '\0' ? planning.refused
                                        : "no malloc found in the process");
    (void)see_modules(pid, "", see_services, &planning);
    if (prefix == NULL)
        return 0;
    planning.why[0] = '\0';
    is_found = see_modules(pid, "", see_prefixed, &planning);
    return is_found && planning.why[0] == '\0'
               ? 0
               : session_fail(failure, "attach: --allocator=%s: %s", prefix,
                              is_found ? planning.why : PATCH_NO_ALLOCATOR);
}
