/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.c - read a program's symbols; see patch.h
 *
 * This file is long because each kind of name is added in the same way.
 */
#include "tool/patch/patch.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/allocator_names.h"
#include "tool/files/files.h"

/* distance of moved code: beyond everything that a program maps of its file,
   but within reach of a jump */
enum {
    MOVED_AWAY = 1 << 30,
    NEAR = 1 << 26, /* greatest distance of two functions with moved code in
                       one place */
};

_Static_assert((int)DISPLACED_CODE <= (int)PATCH_CODE, "room for it");

/* lists of names, each between two spaces */
#define WORD(name) #name " "
static const char family[] = " " FAMILY_NAMES(WORD);
static const char services[] =
    " " SERVICE_NAMES(WORD) EXEC_NAMES(WORD) FILTER_NAMES(WORD);
static const char prefixed[] = " " PREFIXED_NAMES(WORD);
static const char more_prefixed[] = " " OPTIONAL_PREFIXED_NAMES(WORD);

#define PREFIX(marker, prefix, library, operators) prefix,
static const char *const known_prefixes[] = { ALLOCATORS(PREFIX) };

/* called by the recorder, but not replaced */
static const char called[] = " malloc_usable_size ";

/* Names that show that operators new and delete belong to the allocator.
   Operators defined by a program itself call its malloc. */
#define OPERATORS(marker, prefix, library, operators) operators " "
static const char with_operators[] = " " ALLOCATORS(OPERATORS);

struct program {
    int fd, debug_fd;
    Elf *elf;
    Elf *debug;    /* file with more symbols, or NULL */
    uint64_t bias; /* run-time address minus link address */
    struct patch_plan *plan;
    char *why;
    const char *allocator; /* first name of an allocator, or NULL */
    const char *prefix;    /* prefix of the names to find, or NULL */
    bool has_operators;
    bool is_beside;   /* true: names are added to those of the malloc family */
    bool is_optional; /* true: the function may stay unpatched */
    bool is_refused;
};

static bool is_among(const char *name, const char *names)
{
    const char *at = *name == '\0' || *name == ' ' ? NULL : names;
    size_t length = strlen(name);

    while (at != NULL && (at = strstr(at, name)) != NULL &&
           (at[-1] != ' ' || at[length] != ' '))
        at++;
    return at != NULL;
}

/* Return true if operator new or delete `name` allocates; placement forms do
   not. */
static bool is_operator(const char *name)
{
    static const char forms[] =
        " St11align_val_t RKSt9nothrow_t St11align_val_tRKSt9nothrow_t ";
    const char *form;

    if ((form = text_after(name, "_Znwm")) != NULL ||
        (form = text_after(name, "_Znam")) != NULL)
        return *form == '\0' || is_among(form, forms);
    if ((form = text_after(name, "_ZdlPv")) != NULL ||
        (form = text_after(name, "_ZdaPv")) != NULL)
        return *form == '\0' || is_among(form, forms) ||
               is_among(form, " m mSt11align_val_t ");
    return false;
}

/* Return the code of a function in the file, or NULL. */
static const uint8_t *bytes_of(Elf *elf, const GElf_Sym *symbol)
{
    GElf_Shdr header;
    Elf_Scn *section = elf_getscn(elf, symbol->st_shndx);
    Elf_Data *data = section == NULL ? NULL : elf_rawdata(section, NULL);

    if (data == NULL || data->d_buf == NULL ||
        gelf_getshdr(section, &header) == NULL ||
        header.sh_type != SHT_PROGBITS || symbol->st_value < header.sh_addr ||
        symbol->st_value - header.sh_addr > data->d_size ||
        data->d_size - (symbol->st_value - header.sh_addr) < symbol->st_size)
        return NULL;
    return (const uint8_t *)data->d_buf + (symbol->st_value - header.sh_addr);
}

static void refuse(struct program *program, const char *name, const char *why)
{
    if (program->is_optional)
        return;
    if (!program->is_refused)
        snprintf(program->why, PATCH_WHY_SIZE, "%s %s", name, why);
    program->is_refused = true;
}

static bool is_planned(const struct patch_plan *plan, const char *name)
{
    for (uint32_t i = 0; i < plan->count; i++) {
        if (strcmp(plan->entries[i].name, name) == 0)
            return true;
    }
    return false;
}

static bool move(struct program *program, struct patch_entry *entry,
                 const GElf_Sym *symbol)
{
    const struct patch_plan *plan = program->plan;
    const uint8_t *bytes = bytes_of(program->elf, symbol);
    struct displaced displaced;
    const char *why = bytes == NULL
                          ? "has no code"
                          : displaced_move(&displaced, bytes, symbol->st_size,
                                           entry->function,
                                           plan->moved[entry->is_far] +
                                               plan->count * PATCH_CODE);

    if (why != NULL) {
        refuse(program, entry->name, why);
        return false;
    }
    entry->at = displaced.at;
    entry->covered_size = (uint8_t)displaced.taken;
    entry->code_size = (uint8_t)displaced.size;
    entry->offset_count = (uint8_t)displaced.offset_count;
    memcpy(entry->offsets, displaced.offsets, sizeof entry->offsets);
    memcpy(entry->covered, bytes + (displaced.at - entry->function),
           displaced.taken);
    memcpy(entry->code, displaced.code, displaced.size);
    return true;
}

/* Add a function. If it has two names, it gets one jump. */
static void add(struct program *program, const char *name,
                const GElf_Sym *symbol, bool is_called)
{
    struct patch_plan *plan = program->plan;
    struct patch_entry *entry = &plan->entries[plan->count];
    uint64_t function = symbol->st_value + program->bias;
    uint32_t jump = 0; /* 1 + index of the entry with the jump; 0: none */
    uint8_t is_far = plan->count != 0 &&
                     function - plan->entries[0].function + NEAR > 2 * NEAR;

    for (uint32_t i = 0; i < plan->count && jump == 0; i++) {
        if (plan->entries[i].covered_size != 0 &&
            plan->entries[i].function == function)
            jump = i + 1;
    }
    if (plan->moved[is_far] == 0)
        plan->moved[is_far] = function + MOVED_AWAY;
    if (plan->count == PATCH_CAPACITY || strlen(name) >= sizeof entry->name ||
        is_planned(plan, name))
        return;
    *entry = (struct patch_entry){ .function = function,
                                   .same_as = (uint8_t)jump,
                                   .is_far = is_far };
    strcpy(entry->name, name);
    if (jump != 0 || is_called || move(program, entry, symbol))
        plan->count++;
}

static void visit_family(struct program *program, const char *name,
                         const GElf_Sym *symbol)
{
    bool is_called = is_among(name, called);

    if (is_called || is_among(name, family))
        add(program, name, symbol, is_called);
}

static void visit_service(struct program *program, const char *name,
                          const GElf_Sym *symbol)
{
    if (is_among(name, services))
        add(program, name, symbol, false);
}

static void visit_prefixed(struct program *program, const char *name,
                           const GElf_Sym *symbol)
{
    const char *rest = allocator_own_name(name, program->prefix);
    char marked[PATCH_NAME];

    if (rest == NULL ||
        !(is_among(rest, prefixed) || is_among(rest, more_prefixed) ||
          (program->is_beside && (text_after(rest, "new") != NULL ||
                                  text_after(rest, "delete") != NULL))))
        return;
    program->is_optional = program->is_beside || is_among(rest, more_prefixed);
    snprintf(marked, sizeof marked, "%c%s", PATCH_PREFIXED, rest);
    add(program, marked, symbol, false);
}

/* A delete may be an alias of free. */
static void visit_operator(struct program *program, const char *name,
                           const GElf_Sym *symbol)
{
    if (is_operator(name))
        add(program, name, symbol, false);
}

static void visit_owner(struct program *program, const char *name,
                        const GElf_Sym *symbol)
{
    (void)symbol;
    /* A sanitizer's malloc stays: its findings matter more than counts. */
    if (strncmp(name, "__interceptor_", 14) == 0)
        refuse(program, "malloc", "is a sanitizer's");
    program->has_operators |= is_among(name, with_operators);
}

static void visit_allocator(struct program *program, const char *name,
                            const GElf_Sym *symbol)
{
    (void)symbol;
    if (program->allocator == NULL && is_among(name, ALLOCATOR_MALLOCS))
        program->allocator = name;
}

typedef void visit_fn(struct program *program, const char *name,
                      const GElf_Sym *symbol);

static void visit_table(struct program *program, Elf *elf, Elf_Scn *section,
                        const GElf_Shdr *header, visit_fn *visit)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Sym symbol;

    for (int i = 0; data != NULL && gelf_getsym(data, i, &symbol) != NULL;
         i++) {
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);

        if (name != NULL && symbol.st_shndx != SHN_UNDEF &&
            GELF_ST_TYPE(symbol.st_info) == STT_FUNC &&
            (GELF_ST_BIND(symbol.st_info) != STB_LOCAL ||
             program->prefix != NULL))
            visit(program, name, &symbol);
    }
}

static void visit_file(struct program *program, Elf *elf, visit_fn *visit)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;

    while ((section = elf_nextscn(elf, section)) != NULL) {
        if (gelf_getshdr(section, &header) != NULL &&
            (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
            visit_table(program, elf, section, &header, visit);
    }
}

static void visit_all(struct program *program, visit_fn *visit)
{
    visit_file(program, program->elf, visit);
    visit_file(program, program->debug, visit);
}

/* Open the file. If that fails, it has no symbols. */
static void open_program(struct program *program, const char *path)
{
    program->fd = regular_file_open(AT_FDCWD, path, O_RDONLY);
    if (program->fd >= 0 && elf_version(EV_CURRENT) != EV_NONE)
        program->elf = elf_begin(program->fd, ELF_C_READ, NULL);
    /* A stripped program still exports malloc itself. */
    if (program->elf != NULL && program->prefix != NULL)
        program->debug =
            debug_file_open(program->fd, program->elf, &program->debug_fd);
}

static void close_program(struct program *program)
{
    elf_end(program->elf);
    elf_end(program->debug);
    if (program->debug != NULL)
        close(program->debug_fd);
    if (program->fd >= 0)
        close(program->fd);
}

/* Store device, inode and entry point of the file in the plan. */
static bool name_file(struct program *program)
{
    struct patch_plan *plan = program->plan;
    struct stat status;
    GElf_Ehdr header;

    if (gelf_getehdr(program->elf, &header) == NULL ||
        header.e_machine != EM_X86_64 || fstat(program->fd, &status) < 0)
        return false;
    plan->device = status.st_dev;
    plan->inode = status.st_ino;
    plan->entry = header.e_entry;
    return true;
}

static bool plan_family(struct program *program)
{
    visit_all(program, visit_family);
    visit_all(program, visit_owner);
    if (program->has_operators && is_planned(program->plan, "malloc"))
        visit_all(program, visit_operator);
    program->is_beside = is_planned(program->plan, "malloc");
    for (size_t i = 0; i < sizeof known_prefixes / sizeof *known_prefixes;
         i++) {
        program->prefix = known_prefixes[i];
        visit_all(program, visit_prefixed);
    }
    program->prefix = NULL;
    program->is_optional = false;
    return !program->is_refused && is_planned(program->plan, "malloc") &&
           is_planned(program->plan, "free");
}

static bool is_prefixed_whole(const struct patch_plan *plan)
{
    return (is_planned(plan, "+malloc") || is_planned(plan, "+mallocx") ||
            is_planned(plan, "+malloc_aligned")) &&
           (is_planned(plan, "+free") || is_planned(plan, "+dallocx") ||
            is_planned(plan, "+sdallocx"));
}

bool patch_plan_make(const char *path, struct patch_plan *plan,
                     char why[PATCH_WHY_SIZE])
{
    struct program program = { .plan = plan, .why = why };
    bool is_made;

    *plan = (struct patch_plan){ 0 };
    why[0] = '\0';
    open_program(&program, path);
    is_made = name_file(&program) &&
              (plan_family(&program) ||
               (!program.is_refused && !is_planned(plan, "malloc") &&
                is_prefixed_whole(plan)));
    close_program(&program);
    return is_made;
}

bool patch_plan_add_prefixed(struct patch_plan *plan, const char *path,
                             uint64_t bias, const char *prefix,
                             char why[PATCH_WHY_SIZE])
{
    const struct patch_plan before = *plan;
    struct program program = {
        .plan = plan, .why = why, .bias = bias, .prefix = prefix
    };
    bool is_whole;

    why[0] = '\0';
    open_program(&program, path);
    if (plan->count != 0 || name_file(&program))
        visit_all(&program, visit_prefixed);
    close_program(&program);
    is_whole = !program.is_refused && is_prefixed_whole(plan);
    if (!is_whole)
        *plan = before;
    return is_whole;
}

bool patch_plan_add(struct patch_plan *plan, const char *path, uint64_t bias,
                    enum patch_names names, char why[PATCH_WHY_SIZE])
{
    struct program program = { .plan = plan, .why = why, .bias = bias };
    bool is_made = true;

    why[0] = '\0';
    open_program(&program, path);
    if (names == PATCH_FAMILY)
        is_made = plan_family(&program);
    else
        visit_all(&program, visit_service);
    close_program(&program);
    return is_made;
}

void patch_find_allocator(const char *path, char *name, size_t capacity)
{
    struct program program = { 0 };

    open_program(&program, path);
    visit_all(&program, visit_allocator);
    snprintf(name, capacity, "%s",
             program.allocator == NULL ? "" : program.allocator);
    close_program(&program);
}
