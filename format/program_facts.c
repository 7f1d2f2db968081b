/* SPDX-License-Identifier: Apache-2.0 */
/* program_facts.c - read ELF headers, libraries and command lines */
#include "format/program_facts.h"

#include <string.h>

#include "format/bytes.h"
#include "format/text_after.h"

#define REFUSES   "refuses to run behind a preload"
#define CRASHES   "crashes behind a preloaded malloc"
#define OVERLOOKS "overlooks leaks of blocks that a recorder remembers"

static const struct sanitizer_runtime runtimes[] = {
    { "libasan.so", "AddressSanitizer", "address", REFUSES },
    { "libclang_rt.asan", "AddressSanitizer", "address", REFUSES },
    { "libhwasan.so", "HWAddressSanitizer", "hwaddress", REFUSES },
    { "libclang_rt.hwasan", "HWAddressSanitizer", "hwaddress", REFUSES },
    { "libtsan.so", "ThreadSanitizer", "thread", CRASHES },
    { "libclang_rt.tsan", "ThreadSanitizer", "thread", CRASHES },
    { "liblsan.so", "LeakSanitizer", "leak", OVERLOOKS },
    { "libclang_rt.lsan", "LeakSanitizer", "leak", OVERLOOKS },
};

static const struct sanitizer_runtime *find_runtime(const char *name)
{
    for (size_t i = 0; i < sizeof runtimes / sizeof runtimes[0]; i++) {
        if (text_after(name, runtimes[i].library) != NULL)
            return &runtimes[i];
    }
    return NULL;
}

const struct sanitizer_runtime *sanitizer_runtime_of(const char *libraries)
{
    const struct sanitizer_runtime *found = NULL;
    const char *name = libraries;

    for (const char *at = libraries; found == NULL; at++) {
        if (*at == '/') {
            name = at + 1;
        } else if (*at == ':' || *at == ' ' || *at == '\0') {
            found = find_runtime(name);
            name = at + 1;
        }
        if (*at == '\0')
            break;
    }
    return found;
}

/* ELF header of the file that contains this code, if the linker defines it. */
extern const unsigned char __ehdr_start[] /* NOLINT: its name */
    __attribute__((weak, visibility("hidden")));

/* Sizes and numbers of 64-bit ELF. */
enum { ELF_SIZE = 64, SEGMENT_SIZE = 56, ENTRY_SIZE = 16 };
enum { LOAD = 1, DYNAMIC = 2, INTERP = 3 };     /* types of segments */
enum { NEEDED = 1, TEXT_TABLE = 5, NAME = 14 }; /* tags of entries */

enum { SEGMENT_LIMIT = 128, TEXT_LIMIT = 256 };

struct file {
    int fd;
    program_facts_read_fn *read_at;
    struct program_facts *facts;
};

struct segment {
    uint32_t type;
    uint64_t offset, address, size;
};

struct entry {
    uint64_t tag, value;
};

static bool read_segment(const struct file *file, unsigned number,
                         struct segment *segment)
{
    const unsigned char *elf = (const unsigned char *)file->facts->head;
    uint64_t at = read_u64le(elf + 32) + (uint64_t)number * SEGMENT_SIZE;
    unsigned char bytes[SEGMENT_SIZE];

    if (number >= read_u16le(elf + 56) || number >= SEGMENT_LIMIT ||
        file->read_at(file->fd, bytes, SEGMENT_SIZE, at) != SEGMENT_SIZE)
        return false;
    *segment = (struct segment){ .type = read_u32le(bytes),
                                 .offset = read_u64le(bytes + 8),
                                 .address = read_u64le(bytes + 16),
                                 .size = read_u64le(bytes + 32) };
    return true;
}

/* Return the file offset of the loaded program's `address`, or 0. */
static uint64_t file_offset(const struct file *file, uint64_t address)
{
    struct segment segment;

    for (unsigned i = 0; read_segment(file, i, &segment); i++) {
        if (segment.type == LOAD && address >= segment.address &&
            address - segment.address < segment.size)
            return address - segment.address + segment.offset;
    }
    return 0;
}

static const char *read_text(const struct file *file, uint64_t offset,
                             char text[TEXT_LIMIT + 1])
{
    long length = file->read_at(file->fd, text, TEXT_LIMIT, offset);

    text[length > 0 ? length : 0] = '\0';
    return text;
}

/* Read an entry; return false at the end of the dynamic section. */
static bool read_entry(const struct file *file, const struct segment *dynamic,
                       uint64_t at, struct entry *entry)
{
    unsigned char bytes[ENTRY_SIZE];

    if (at >= dynamic->size ||
        file->read_at(file->fd, bytes, ENTRY_SIZE, dynamic->offset + at) !=
            ENTRY_SIZE)
        return false;
    *entry = (struct entry){ read_u64le(bytes), read_u64le(bytes + 8) };
    return entry->tag != 0;
}

static void look_at_names(const struct file *file,
                          const struct segment *dynamic)
{
    struct program_facts *facts = file->facts;
    char text[TEXT_LIMIT + 1];
    struct entry entry;
    uint64_t table = 0;

    for (uint64_t at = 0; read_entry(file, dynamic, at, &entry);
         at += ENTRY_SIZE) {
        facts->has_name |= entry.tag == NAME;
        if (entry.tag == TEXT_TABLE)
            table = entry.value;
    }
    table = file_offset(file, table);
    for (uint64_t at = 0; table != 0 && read_entry(file, dynamic, at, &entry);
         at += ENTRY_SIZE) {
        if (entry.tag == NAME)
            facts->is_loader |=
                text_after(read_text(file, table + entry.value, text),
                           "ld-linux") != NULL;
        if (entry.tag == NEEDED && facts->runtime == NULL)
            facts->runtime = sanitizer_runtime_of(
                read_text(file, table + entry.value, text));
    }
}

static void look_at_loader(const struct file *file,
                           const struct segment *segment)
{
    char text[TEXT_LIMIT + 1];
    const char *name = base_name(read_text(file, segment->offset, text));

    file->facts->has_loader = true;
    file->facts->is_damaged |= text[0] == '\0';
    file->facts->has_musl |= text_after(name, "ld-musl") != NULL;
}

static void look_at_segments(const struct file *file)
{
    const unsigned char *elf = (const unsigned char *)file->facts->head;
    struct segment segment;
    unsigned i;

    for (i = 0; read_segment(file, i, &segment); i++) {
        if (segment.type == INTERP)
            look_at_loader(file, &segment);
        else if (segment.type == DYNAMIC)
            look_at_names(file, &segment);
    }
    file->facts->is_damaged |= i != read_u16le(elf + 56);
}

/* Find the interpreter in `head`, "#! /path argument", and cut off the
   argument. */
static const char *find_interpreter(char *head)
{
    const char *path;
    char *end = head + 2;

    while (*end == ' ' || *end == '\t')
        end++;
    path = end;
    while (*end != '\0' && *end != ' ' && *end != '\t' && *end != '\n')
        end++;
    *end = '\0';
    return path;
}

void program_facts_read(int fd, program_facts_read_fn *read_at,
                        struct program_facts *facts)
{
    const struct file file = { fd, read_at, facts };
    const unsigned char *elf = (const unsigned char *)facts->head;
    long length;

    memset(facts, 0, sizeof *facts);
    length = read_at(fd, facts->head, PROGRAM_FACTS_HEAD, 0);
    if (length > 2 && text_after(facts->head, "#!") != NULL)
        facts->interpreter = find_interpreter(facts->head);
    if (text_after(facts->head, "\177ELF") == NULL)
        return;
    facts->is_elf = length >= ELF_SIZE;
    facts->is_foreign = facts->is_elf && __ehdr_start != NULL &&
                        (memcmp(elf + 4, __ehdr_start + 4, 2) != 0 ||
                         memcmp(elf + 18, __ehdr_start + 18, 2) != 0);
    facts->is_damaged = !facts->is_elf || read_u16le(elf + 54) != SEGMENT_SIZE;
    if (!facts->is_damaged && elf[4] == 2)
        look_at_segments(&file);
}

/* Options that take the next argument as their value. */
static const char *const loader_options[] = {
    "argv0",   "audit",         "glibc-hwcaps-mask",    "library-path",
    "preload", "inhibit-rpath", "glibc-hwcaps-prepend", NULL,
};
static const char *const emulator_options[] = {
    "0", "B", "D",      "E", "L", "R",    "U",       "cpu",   "d",  "dfilter",
    "g", "p", "plugin", "r", "s", "seed", "tb-size", "trace", NULL,
};

static bool is_loader(const char *path)
{
    const char *name = base_name(path);

    return text_after(name, "ld-linux") != NULL ||
           text_after(name, "ld-2.") != NULL || is_same_text(name, "ld.so");
}

static bool has_value(const char *option, const char *const with_value[])
{
    while (*option == '-')
        option++;
    while (*with_value != NULL && !is_same_text(option, *with_value))
        with_value++;
    return *with_value != NULL;
}

/* Return the first argument that is neither an option nor the value of one; or
   NULL. */
static const char *find_program(char *const arguments[], const char *dash,
                                const char *const with_value[])
{
    size_t at = 1;

    if (arguments == NULL || arguments[0] == NULL)
        return NULL;
    while (arguments[at] != NULL && text_after(arguments[at], dash) != NULL) {
        at += has_value(arguments[at], with_value) && arguments[at + 1] != NULL
                  ? 2
                  : 1;
    }
    return arguments[at];
}

const char *loader_program(const char *path, char *const arguments[])
{
    const char *program =
        is_loader(path) ? find_program(arguments, "--", loader_options) : NULL;

    return program == NULL ? path : program;
}

const char *emulated_program(const char *path, char *const arguments[])
{
    const char *name = base_name(path);

    return text_after(name, "qemu-") != NULL &&
                   text_after(name, "qemu-system") == NULL
               ? find_program(arguments, "-", emulator_options)
               : NULL;
}
