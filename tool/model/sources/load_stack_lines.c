/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_stack_lines.c - see sources.h
 *
 * Names come before the stacks that use them. A file that is known by its
 * build-id only is a module without a path.
 */
#include "tool/model/sources/sources.h"

enum { DEPTH_LIMIT = 65536 };

struct builds {
    struct text_pool names;
    uint32_t *modules; /* by number of the name in `names` */
};

struct lines_load {
    struct arena *arena; /* until the lines are loaded */
    struct profile *profile;
    struct builds builds;
    struct profile_place *places; /* places of one stack, innermost first */
    size_t place_count;
};

bool stack_lines_are(const void *bytes, size_t size)
{
    return size >= sizeof STACK_LINES_BEGIN - 1 &&
           memcmp(bytes, STACK_LINES_BEGIN, sizeof STACK_LINES_BEGIN - 1) == 0;
}

/* Read a build-id in hexadecimal; paths are left alone. */
static void read_build_id(const char *build, struct profile_module *module)
{
    unsigned byte;

    if (strspn(build, "0123456789abcdef") != strlen(build) ||
        strlen(build) > 2 * sizeof module->build_id)
        return;
    for (; sscanf(build, "%2x", &byte) == 1 && build[1] != '\0'; build += 2)
        module->build_id[module->build_id_size++] = (uint8_t)byte;
}

/* Return true if the path is not that of a shared object. */
static bool is_program(const char *path)
{
    const char *name = strrchr(path, '/');
    size_t length = strlen(path);

    return path[0] == '/' && strstr(name, ".so.") == NULL &&
           (length < 3 || strcmp(path + length - 3, ".so") != 0);
}

/* Return the module of a build; `path` may be NULL. */
static uint32_t module_of(struct lines_load *load, const char *build,
                          const char *path)
{
    struct builds *builds = &load->builds;
    size_t count = builds->names.count;
    uint32_t number;

    if (*build == '\0')
        return PROFILE_NO_MODULE;
    number = text_pool_add(&builds->names, build);
    if (number == count) {
        struct profile_module module = {
            .path = (char *)(uintptr_t)(path != NULL      ? path
                                        : build[0] == '/' ? build
                                                          : "")
        };

        module.is_executable = is_program(module.path);
        read_build_id(build, &module);
        /* PATH@VERSION: a hash keeps files of one path apart. */
        if (module.build_id_size == 0 && strcmp(build, module.path) != 0) {
            module.build_id_size = sizeof(uint32_t);
            memcpy(module.build_id, &(uint32_t){ text_hash(build) },
                   sizeof(uint32_t));
        }
        ARENA_ADD(load->arena, builds->modules, count,
                  profile_add_module(load->profile, &module));
    }
    return builds->modules[number];
}

/* Columns: build, address, path; functions, files and lines of the inline
   chain. */
static bool load_names(struct lines_load *load, char *row)
{
    const char *build = tabbed_text(&row), *path;
    struct symbol chain[SYMBOLS_CHAIN_LIMIT] = { { 0 } };
    char *functions, *files, *lines;
    uint64_t address, line;
    size_t count = 0;

    if (!tabbed_number(&row, &address))
        return false;
    path = tabbed_text(&row);
    functions = tabbed_array(&row);
    files = tabbed_array(&row);
    lines = tabbed_array(&row);
    for (; count < SYMBOLS_CHAIN_LIMIT &&
           (chain[count].function = tabbed_item(&functions)) != NULL;
         count++) {
        char *number = tabbed_item(&lines);

        chain[count].file = tabbed_item(&files);
        if (number == NULL || !tabbed_number(&number, &line))
            return false;
        chain[count].line = (unsigned)line;
    }
    given_names_add(&load->profile->given, module_of(load, build, path),
                    address, chain, count);
    return true;
}

/* Load the places of a stack; return false if they are malformed. A place
   without module and address stands for unknown outer frames. */
static bool load_places(struct lines_load *load, char *builds, char *addresses,
                        uint32_t *outermost)
{
    char *build, *text;
    uint64_t address;

    *outermost = STACK_WHOLE;
    load->place_count = 0;
    while ((build = tabbed_item(&builds)) != NULL) {
        struct profile_place place;

        if ((text = tabbed_item(&addresses)) == NULL ||
            !tabbed_number(&text, &address) || load->place_count == DEPTH_LIMIT)
            return false;
        place = (struct profile_place){ address, module_of(load, build, NULL) };
        if (*build == '\0' && address == 0)
            *outermost = STACK_CUT;
        else
            ARENA_ADD(load->arena, load->places, load->place_count, place);
    }
    return true;
}

/* Add pairs as the outermost frames; keys and values are two lists. */
static void load_pairs(struct lines_load *load, char *names, char *values)
{
    const char *name, *value;

    while ((name = tabbed_item(&names)) != NULL) {
        OWNED char *pair = NULL;

        value = tabbed_item(&values);
        pair = memory_print("%s=%s", name, value == NULL ? "" : value);
        ARENA_ADD(load->arena, load->places, load->place_count,
                  profile_place_of_pair(load->profile, pair));
    }
}

/*
 * Columns: kind, names and values of labels, builds and addresses, six numbers.
 */
static bool load_stack(struct lines_load *load, char *row)
{
    struct profile *profile = load->profile;
    const char *kind = tabbed_text(&row);
    char *names = tabbed_array(&row), *values = tabbed_array(&row);
    char *builds = tabbed_array(&row), *addresses = tabbed_array(&row);
    struct profile_site site = { .kind = LEDGER_SITE_HEAP,
                                 .module = PROFILE_NO_MODULE };
    struct profile_amounts *amounts = &site.amounts;
    uint64_t numbers[6];
    size_t first = 0;

    while (site.kind < LEDGER_SITE_KINDS &&
           strcmp(profile_kind_names[site.kind], kind) != 0)
        site.kind++;
    if (site.kind == LEDGER_SITE_KINDS ||
        !load_places(load, builds, addresses, &site.frame))
        return false;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (!tabbed_number(&row, &numbers[i]))
            return false;
    }
    amounts->alloc_blocks = numbers[2];
    amounts->alloc_bytes = numbers[3];
    amounts->free_blocks = numbers[4];
    amounts->free_bytes = numbers[5];
    amounts->inherited_blocks = numbers[0] + numbers[4] - numbers[2];
    amounts->inherited_bytes = numbers[1] + numbers[5] - numbers[3];
    if (load->place_count > 0) {
        site.place = load->places[0].address;
        site.module = load->places[0].module;
        first = 1;
    }
    load_pairs(load, names, values);
    for (size_t i = load->place_count; i-- > first;) {
        const struct profile_frame frame = {
            stacks_add_place(&profile->stacks, &load->places[i]), site.frame
        };

        site.frame = stacks_add_frame(&profile->stacks, &frame);
    }
    profile_add_site(profile, &site);
    return true;
}

static bool load_image(struct lines_load *load, char *row)
{
    struct profile_image image = { .command_line = (char *)(uintptr_t) "" };
    uint64_t pid, has_ended;

    image.program = tabbed_text(&row);
    if (!tabbed_number(&row, &pid) || !tabbed_number(&row, &image.start_ns) ||
        !tabbed_number(&row, &image.end_ns) || !tabbed_number(&row, &has_ended))
        return false;
    image.pid = (uint32_t)pid;
    image.has_ended = has_ended != 0;
    profile_add_image(load->profile, &image);
    return true;
}

static bool load_note(struct lines_load *load, char *row)
{
    const struct profile_notice notice = { .code = PROFILE_NOTICE_OF_SOURCE,
                                           .times = 1,
                                           .text = tabbed_text(&row) };

    profile_add_notice(load->profile, &notice);
    return true;
}

static const struct {
    const char *word;
    bool (*load)(struct lines_load *load, char *row);
} lines[] = { { "image", load_image },
              { "note", load_note },
              { "names", load_names },
              { "stack", load_stack } };

static bool load_line(struct lines_load *load, char *row)
{
    const char *word = tabbed_text(&row);

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (strcmp(lines[i].word, word) == 0)
            return lines[i].load(load, row);
    }
    return true; /* line of a newer writer */
}

int load_stack_lines(const unsigned char *bytes, size_t size,
                     struct profile *profile, struct source_failure *failure)
{
    struct arena *arena = arena_create();
    struct lines_load load = { .arena = arena,
                               .profile = profile,
                               .builds.names.table.arena = arena };
    char *copy = arena_text_of(arena, bytes, size), *line = copy, *end;
    size_t number = 1;

    profile_begin_stacks(profile);
    while ((end = memchr(line, '\n', (size_t)(copy + size - line))) != NULL) {
        *end = '\0';
        if (number > 1 && !load_line(&load, line))
            break;
        number++;
        line = end + 1;
    }
    arena_destroy(arena);
    return line == copy + size
               ? 0
               : source_fail_at_line(failure, number,
                                     end == NULL ? "truncated"
                                                 : "unknown format",
                                     "write it again with tally store");
}
