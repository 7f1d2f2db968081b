/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_names.c - names of the regions and threads of a trace
 *
 * Millions of events name a few regions, so results are cached in a table with
 * one slot for each hash.
 *
 * This file is long because names come from metadata, threads and the program.
 */
#include "tool/model/trace/trace_figures.h"

#include <sys/stat.h>

/*
 * Return the path of the program that wrote the trace, or NULL if it is newer.
 */
static char *find_path(const struct trace *trace,
                       const struct text_view *program)
{
    struct stat status;
    char *path;

    if (program->length == 0)
        return NULL;
    path = memory_or_exit(strndup(program->bytes, program->length));
    if (stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
        status.st_mtim.tv_sec <= trace->metadata_time)
        return path;
    free(path);
    return NULL;
}

/* Find PROGRAM.PID.tally beside PROGRAM.PID.events, also for other images. */
static char *find_ledger(const char *folder)
{
    static const char ending[] = ".events";
    const char *end = strstr(folder, ending);
    size_t length = strlen(ending);
    char *path;

    while (end != NULL && strstr(end + length, ending) != NULL)
        end = strstr(end + length, ending);
    if (end == NULL || (strncmp(end + length, ".d/", 3) != 0 &&
                        strcmp(end + length, "/") != 0 && end[length] != '\0'))
        return NULL;
    path = memory_print("%.*s.tally%s", (int)(end - folder), folder,
                        strcmp(end + length, "/") == 0 ? "" : end + length);
    if (is_ledger_file(path))
        return path;
    free(path);
    return NULL;
}

struct trace_program trace_program_find(const struct trace *trace)
{
    struct trace_program program = { 0 };
    struct trace_counts counts;
    const struct ctf_metadata_facts *facts =
        trace->description_count > 0 ? trace->described : trace->facts;

    if (trace->folder != NULL)
        program.ledger = find_ledger(trace->folder);
    else if (trace->ledger != NULL)
        program.ledger = memory_text(trace->ledger);
    if (facts != NULL)
        program.path = find_path(trace, &facts->program);
    trace_count(trace, &counts);
    program.sample_interval = counts.sample_interval;
    if (facts == NULL)
        return program;
    program.has_load_address = facts->load_address != 0;
    program.load_address = facts->load_address;
    program.sample_interval = facts->sample_interval;
    return program;
}

void trace_program_close(struct trace_program *program)
{
    free(program->path);
    free(program->ledger);
    *program = (struct trace_program){ 0 };
}

enum { SLOT_COUNT = 4096 };

struct slot {
    uint64_t address;
    uint32_t thread;
    bool is_taken;
    char *name;
};

/* Name of a thread or a region in the metadata. */
struct given_name {
    enum ctf_named what;
    uint64_t number;
    char *name;
};

struct trace_names {
    struct trace *trace;
    const char *elf;            /* path named by the user, or NULL */
    unsigned description_count; /* of the trace when its names were read */
    unsigned thread_changes;
    struct object_names *objects;
    uint64_t load_address;
    struct given_name *given; /* sorted */
    size_t given_count;
    char *made; /* returned by the last trace_names_object() */
    struct slot slots[SLOT_COUNT];
};

static int compare_given(const void *left, const void *right)
{
    const struct given_name *a = left, *b = right;

    if (a->what != b->what)
        return a->what < b->what ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static void read_text(struct trace_names *names, const char *text, size_t size)
{
    enum ctf_named what;
    struct text_view name;
    size_t position = 0;
    uint64_t number;

    while (text != NULL && ctf_metadata_next_name(text, size, &position, &what,
                                                  &number, &name) > 0)
        ARRAY_ADD(names->given, names->given_count,
                  (struct given_name){
                      .what = what,
                      .number = number,
                      .name = memory_or_exit(strndup(name.bytes, name.length)),
                  });
}

static void read_given(struct trace_names *names, const struct trace *trace)
{
    read_text(names, trace->metadata, trace->metadata_size);
    read_text(names, trace->description, trace->description_size);
    ARRAY_SORT(names->given, names->given_count, compare_given);
}

/* Return its name in the metadata, or NULL. */
static const char *find_given(const struct trace_names *names,
                              enum ctf_named what, uint64_t number)
{
    const struct given_name key = { .what = what, .number = number };
    const struct given_name *found = NULL;

    if (names->given_count > 0)
        found = bsearch(&key, names->given, names->given_count,
                        sizeof *names->given, compare_given);
    return found == NULL ? NULL : found->name;
}

static int open_objects(struct trace_names *names, struct trace *trace,
                        const char *elf, struct source_failure *failure)
{
    struct trace_program program = trace_program_find(trace);
    const char *path = elf != NULL ? elf : program.path;
    const char *why = NULL;

    if (path != NULL)
        names->objects = object_names_open(path, &why);
    trace->is_32_bit =
        names->objects != NULL && names->objects->identity.is_32_bit;
    if (names->objects != NULL && !names->objects->identity.is_program)
        names->load_address = program.load_address;
    trace_program_close(&program);
    if (elf != NULL && names->objects == NULL)
        return source_fail(failure, why, "name the program's file with --elf");
    return 0;
}

struct trace_names *trace_names_open(struct trace *trace, const char *elf,
                                     struct source_failure *failure)
{
    struct trace_names *names = memory_zeroed(1, sizeof *names);

    read_given(names, trace);
    if (open_objects(names, trace, elf, failure) < 0) {
        trace_names_close(names);
        return NULL;
    }
    names->trace = trace;
    names->elf = elf;
    names->description_count = trace->description_count;
    return names;
}

static void forget_slots(struct trace_names *names)
{
    for (size_t i = 0; i < SLOT_COUNT; i++) {
        free(names->slots[i].name);
        names->slots[i] = (struct slot){ 0 };
    }
}

static void forget(struct trace_names *names)
{
    forget_slots(names);
    for (size_t i = 0; i < names->given_count; i++)
        free(names->given[i].name);
    names->given_count = 0;
    free(names->given);
    names->given = NULL;
}

/* Take metadata that has come in the stream since. */
static void refresh(struct trace_names *names)
{
    struct source_failure failure;
    unsigned count = names->trace->description_count;

    if (names->thread_changes != names->trace->threads.changes)
        forget_slots(names);
    names->thread_changes = names->trace->threads.changes;
    if (count == names->description_count)
        return;
    forget(names);
    read_given(names, names->trace);
    if (names->description_count == 0 && names->elf == NULL &&
        names->objects == NULL)
        open_objects(names, names->trace, NULL, &failure);
    else if (names->objects != NULL && !names->objects->identity.is_program)
        names->load_address = names->trace->described->load_address;
    names->description_count = count;
}

void trace_names_close(struct trace_names *names)
{
    if (names == NULL)
        return;
    forget(names);
    free(names->made);
    object_names_close(names->objects);
    free(names);
}

/* Return the file's address of an address in memory. */
static uint64_t file_address(const struct trace_names *names, uint64_t address)
{
    return address - names->load_address;
}

static char *name_object(const struct trace_names *names, uint64_t address)
{
    const char *given = find_given(names, CTF_NAMED_REGION, address);
    struct object_name object;

    if (given != NULL)
        return memory_text(given);
    if (names->objects == NULL ||
        !object_names_find(names->objects, file_address(names, address),
                           &object))
        return NULL;
    return demangle_at(object.name, object.offset, DEMANGLE_WITH_ARGUMENTS);
}

const char *trace_names_object(struct trace_names *names, uint64_t address)
{
    refresh(names);
    free(names->made);
    names->made = name_object(names, address);
    return names->made;
}

/* A thread's id is the low half of the address of its variable or, on a host,
   only a number, which must not be looked up in a file that is linked to 0. */
const char *trace_names_thread(struct trace_names *names, uint32_t thread)
{
    const char *given;
    struct object_name object;

    refresh(names);
    given = find_given(names, CTF_NAMED_THREAD, thread);
    if (given == NULL)
        given = trace_threads_name(&names->trace->threads, thread);
    if (given != NULL)
        return given;
    if (names->objects == NULL || !names->objects->identity.is_program ||
        !object_names_find(names->objects, thread, &object) ||
        object.offset != 0)
        return NULL;
    return trace_names_object(names, thread);
}

const char *trace_names_find(struct trace_names *names,
                             const struct zpl_event *event)
{
    uint64_t hash = (event->memory_addr ^ event->for_thread_id) *
                    UINT64_C(0x9E3779B97F4A7C15);
    struct slot *slot = &names->slots[hash >> 52];

    refresh(names);
    if (names->objects == NULL && names->given_count == 0 &&
        names->trace->threads.count == 0)
        return NULL;
    if (!slot->is_taken || slot->address != event->memory_addr ||
        slot->thread != event->for_thread_id) {
        const char *thread =
            event->for_thread_id != 0
                ? trace_names_thread(names, event->for_thread_id)
                : NULL;

        free(slot->name);
        *slot = (struct slot){
            .address = event->memory_addr,
            .thread = event->for_thread_id,
            .is_taken = true,
            .name = thread != NULL ? memory_text(thread)
                                   : name_object(names, event->memory_addr),
        };
    }
    return slot->name;
}

static const char malloc_heap[] = "z_malloc_heap";

/* Return true for the second region at an address: a k_heap and its heap. */
static bool is_told_before(const struct regions *regions, size_t number)
{
    for (size_t i = 0; i < number; i++) {
        if (regions->items[i].address == regions->items[number].address)
            return true;
    }
    return false;
}

static bool lies_in_sections(const struct trace_names *names,
                             const struct region *region)
{
    uint64_t address = file_address(names, region->address);

    return object_names_is_ram(names->objects, address) &&
           (region->name == NULL || strcmp(region->name, malloc_heap) != 0);
}

uint64_t static_memory(const struct trace_names *names,
                       const struct regions *regions)
{
    uint64_t bytes;

    if (names->objects == NULL)
        return 0;
    bytes = names->objects->ram_bytes;
    for (size_t i = 0; i < regions->count && bytes > 0; i++) {
        const struct region *region = &regions->items[i];

        if (!lies_in_sections(names, region) || is_told_before(regions, i))
            continue;
        bytes = region->size < bytes ? bytes - region->size : 0;
    }
    return bytes;
}
