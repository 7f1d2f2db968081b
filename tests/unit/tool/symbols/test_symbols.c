/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_symbols.c - return addresses of a program, built in every way
 *
 * Each test builds named_places.c in a new folder, runs it to get its places,
 * and looks them up. The build-id is set by the test.
 *
 * This file is long because each way to build a program is a test.
 */
#include "tests/fakes/skip.h"
#include "tool/symbols/lookup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { PLACE_CAPACITY = 8, PLACE_COUNT = 4 };

#define BUILD_ID "-Wl,--build-id=0x0123456789abcdef"

static const uint8_t build_id[] = { 0x01, 0x23, 0x45, 0x67,
                                    0x89, 0xab, 0xcd, 0xef };

struct place {
    uint64_t address;
    char function[32];
    unsigned line;
};

struct fixture {
    char folder[64];
    char program[96];
    struct place places[PLACE_CAPACITY];
    size_t place_count;
    struct symbols *symbols;
    int module;
};

static int create(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);

    strcpy(fixture->folder, "/tmp/tally-symbols-XXXXXX");
    if (mkdtemp(fixture->folder) == NULL)
        return -1;
    snprintf(fixture->program, sizeof fixture->program, "%s/named_places",
             fixture->folder);
    fixture->symbols = symbols_create(NULL, DEMANGLE_WITH_ARGUMENTS);
    *state = fixture;
    return 0;
}

/* Run a shell command in the fixture's folder; it must succeed. */
static void run(const struct fixture *fixture, const char *command)
{
    char line[2048];

    snprintf(line, sizeof line, "cd %s && %s", fixture->folder, command);
    if (system(line) != 0)
        fail_msg("failed: %s", line);
}

static int destroy(void **state)
{
    struct fixture *fixture = *state;

    run(fixture, "rm -rf \"$PWD\"");
    symbols_destroy(fixture->symbols);
    free(fixture);
    return 0;
}

static void build(struct fixture *fixture, const char *compiler)
{
    const char *root = getenv("TALLY_SOURCE_DIR");
    assert_non_null(root); /* ctest sets it */
    char line[1024];
    FILE *output;

    snprintf(line, sizeof line,
             "%s " BUILD_ID " -pie -fPIE -o named_places "
             "%s/tests/unit/tool/symbols/named_places.c",
             compiler, root);
    run(fixture, line);
    output = popen(fixture->program, "r");
    assert_non_null(output);
    while (fixture->place_count < PLACE_CAPACITY) {
        struct place *place = &fixture->places[fixture->place_count];

        if (fscanf(output, "%lx %31s %u", &place->address, place->function,
                   &place->line) != 3)
            break;
        fixture->place_count++;
    }
    assert_int_equal(pclose(output), 0);
    assert_int_equal(fixture->place_count, PLACE_COUNT);
}

static void add_module(struct fixture *fixture)
{
    fixture->module = symbols_add_module(fixture->symbols, fixture->program,
                                         build_id, sizeof build_id);
    assert_true(fixture->module >= 0);
}

static const struct place *find_place(const struct fixture *fixture,
                                      const char *function)
{
    for (size_t i = 0; i < fixture->place_count; i++) {
        if (strcmp(fixture->places[i].function, function) == 0)
            return &fixture->places[i];
    }
    fail_msg("no place in %s", function);
    return NULL;
}

static struct symbol find(struct fixture *fixture, const char *function)
{
    struct symbol symbol;

    symbols_find(fixture->symbols, fixture->module,
                 find_place(fixture, function)->address, &symbol);
    return symbol;
}

static void assert_all_found_with_lines(struct fixture *fixture)
{
    for (size_t i = 0; i < fixture->place_count; i++) {
        const struct place *place = &fixture->places[i];
        struct symbol symbol = find(fixture, place->function);

        assert_string_equal(symbol.function, place->function);
        assert_int_equal(symbol.line, place->line);
        assert_non_null(strstr(symbol.file, "symbols/named_places.c"));
    }
}

static void assert_nothing_found(struct fixture *fixture)
{
    struct symbol symbol;

    assert_false(symbols_find(fixture->symbols, fixture->module,
                              find_place(fixture, "in_global")->address,
                              &symbol));
    assert_null(symbol.function);
    assert_null(symbol.file);
    assert_int_equal(symbol.line, 0);
}

static void debug_information_gives_function_file_and_line(void **state)
{
    build(*state, "gcc -O2 -g");
    add_module(*state);
    assert_all_found_with_lines(*state);
}

/*
 * The start of the program is in no unit, after ours, whose last line has no
 * code, as gcc sometimes writes it.
 */
static void what_lies_behind_a_unit_has_no_line(void **state)
{
    struct fixture *fixture = *state;
    struct symbol symbol;
    unsigned long start;
    FILE *output;
    char line[256];

    run(fixture, "gcc -O2 -g -fPIE -S -o places.s \"$TALLY_SOURCE_DIR\""
                 "/tests/unit/tool/symbols/named_places.c");
    run(fixture, "sed -i 's/^\t\\.size\tmain,/.loc 1 99 1 view .LVU999\\n&/' "
                 "places.s && grep -q LVU999 places.s");
    run(fixture, "gcc " BUILD_ID " -pie -o named_places places.s");
    add_module(fixture);
    snprintf(line, sizeof line, "nm %s | sed -n 's/ T _start$//p'",
             fixture->program);
    output = popen(line, "r");
    assert_non_null(output);
    assert_int_equal(fscanf(output, "%lx", &start), 1);
    assert_int_equal(pclose(output), 0);
    assert_true(
        symbols_find(fixture->symbols, fixture->module, start + 8, &symbol));
    assert_string_equal(symbol.function, "_start");
    assert_null(symbol.file);
}

/* clang writes no .debug_aranges. */
static void debug_information_of_clang_does_too(void **state)
{
    if (system("command -v clang >/dev/null") != 0)
        SKIP("no clang; scripts/install-deps test");
    build(*state, "clang -O2 -g");
    add_module(*state);
    assert_all_found_with_lines(*state);
}

static void the_symbol_table_gives_static_functions(void **state)
{
    struct fixture *fixture = *state;

    build(fixture, "gcc -O2");
    add_module(fixture);
    assert_string_equal(find(fixture, "in_static").function, "in_static");
    assert_string_equal(find(fixture, "in_global").function, "in_global");
    assert_string_equal(find(fixture, "at_the_end").function, "at_the_end");
    assert_string_equal(find(fixture, "in_inline").function, "main");
    assert_null(find(fixture, "in_static").file);
    assert_int_equal(find(fixture, "in_static").line, 0);
}

/* Only exported names are left, and each ends at its symbol's end. */
static void a_stripped_file_names_nothing_behind_a_symbol(void **state)
{
    struct fixture *fixture = *state;

    build(fixture, "gcc -O2 -rdynamic -fno-toplevel-reorder");
    run(fixture, "strip named_places");
    add_module(fixture);
    assert_string_equal(find(fixture, "in_global").function, "in_global");
    assert_null(find(fixture, "in_static").function);
}

static void separate_debug_information_is_found(void **state)
{
    struct fixture *fixture = *state;

    build(fixture, "gcc -O2 -g");
    run(fixture, "mkdir .debug && "
                 "objcopy --only-keep-debug named_places .debug/np.debug && "
                 "strip named_places && "
                 "objcopy --add-gnu-debuglink=.debug/np.debug named_places");
    add_module(fixture);
    assert_all_found_with_lines(fixture);
}

static void another_build_gives_no_names(void **state)
{
    struct fixture *fixture = *state;

    build(fixture, "gcc -O2 -g");
    run(fixture, "objcopy --remove-section .note.gnu.build-id named_places");
    add_module(fixture);
    assert_nothing_found(fixture);
}

static void another_build_id_gives_no_names(void **state)
{
    struct fixture *fixture = *state;

    build(fixture, "gcc -O2 -g");
    fixture->module = symbols_add_module(fixture->symbols, fixture->program,
                                         build_id, sizeof build_id - 1);
    assert_nothing_found(fixture);
}

static void a_file_that_is_gone_gives_no_names(void **state)
{
    struct fixture *fixture = *state;

    build(fixture, "gcc -O2 -g");
    run(fixture, "rm named_places");
    add_module(fixture);
    assert_nothing_found(fixture);
}

/* A ledger may name any file: opening a pipe would wait for its writer. */
static void a_pipe_is_no_module(void **state)
{
    struct fixture *fixture = *state;

    build(fixture, "gcc -O2 -g");
    run(fixture, "rm named_places && mkfifo named_places");
    add_module(fixture);
    alarm(60);
    assert_nothing_found(fixture);
    alarm(0);
}

static void a_file_that_is_no_program_gives_no_names(void **state)
{
    struct fixture *fixture = *state;

    build(fixture, "gcc -O2 -g");
    run(fixture, "echo text > named_places");
    add_module(fixture);
    assert_nothing_found(fixture);
}

static void linkage_tables_are_named_as_such(void **state)
{
    struct fixture *fixture = *state;
    struct symbol symbol;
    unsigned long start = 0;
    FILE *output;
    char line[256];

    build(fixture, "gcc -O2");
    snprintf(line, sizeof line,
             "readelf -SW %s | sed -n 's/.* \\.plt  *PROGBITS  *"
             "\\([0-9a-f]*\\) .*/\\1/p'",
             fixture->program);
    output = popen(line, "r");
    assert_int_equal(fscanf(output, "%lx", &start), 1);
    pclose(output);
    add_module(fixture);
    assert_true(
        symbols_find(fixture->symbols, fixture->module, start + 4, &symbol));
    assert_string_equal(symbol.function, "[plt]");
}

/* Return the source line that contains `text`. */
static unsigned line_of(const char *text)
{
    const char *root = getenv("TALLY_SOURCE_DIR");
    char path[1024], line[256];
    unsigned number = 0;
    FILE *source;

    assert_non_null(root);
    snprintf(path, sizeof path, "%s/tests/unit/tool/symbols/named_places.c",
             root);
    source = fopen(path, "r");
    assert_non_null(source);
    while (fgets(line, sizeof line, source) != NULL) {
        number++;
        if (strstr(line, text) != NULL)
            break;
    }
    fclose(source);
    return number;
}

static void check_chain(struct fixture *fixture)
{
    struct symbol chain[SYMBOLS_CHAIN_LIMIT];
    const struct place *place = find_place(fixture, "in_inline");

    assert_int_equal(symbols_find_chain(fixture->symbols, fixture->module,
                                        place->address, chain),
                     3);
    assert_string_equal(chain[0].function, "in_inline");
    assert_int_equal(chain[0].line, place->line);
    assert_string_equal(chain[1].function, "around_inline");
    assert_int_equal(chain[1].line, line_of("/* from around_inline */"));
    assert_string_equal(chain[2].function, "main");
    assert_int_equal(chain[2].line, line_of("/* from main */"));
    for (size_t i = 0; i < 3; i++)
        assert_non_null(strstr(chain[i].file, "symbols/named_places.c"));
    place = find_place(fixture, "in_static");
    assert_int_equal(symbols_find_chain(fixture->symbols, fixture->module,
                                        place->address, chain),
                     1);
    assert_string_equal(chain[0].function, "in_static");
}

static void all_that_was_inlined_is_found(void **state)
{
    build(*state, "gcc -O2 -g");
    add_module(*state);
    check_chain(*state);
}

static void what_was_inlined_is_found_in_split_files(void **state)
{
    build(*state, "gcc -O2 -g -gsplit-dwarf");
    add_module(*state);
    check_chain(*state);
}

static void all_that_clang_inlined_is_found(void **state)
{
    if (system("command -v clang >/dev/null") != 0)
        SKIP("no clang; scripts/install-deps test");
    build(*state, "clang -O2 -g");
    add_module(*state);
    check_chain(*state);
}

static void another_machines_files_are_found_below_a_sysroot(void **state)
{
    struct fixture *fixture = *state;
    char sysroot[128];
    struct symbols_search search = { .sysroot = sysroot };

    build(fixture, "gcc -O2 -g");
    run(fixture, "mkdir -p root/usr/lib/debug/.build-id/01 root/opt &&"
                 "objcopy --only-keep-debug named_places "
                 "root/usr/lib/debug/.build-id/01/23456789abcdef.debug &&"
                 "strip -o root/opt/program named_places && rm named_places");
    snprintf(sysroot, sizeof sysroot, "%s/root/", fixture->folder);
    symbols_destroy(fixture->symbols);
    fixture->symbols = symbols_create(&search, DEMANGLE_WITH_ARGUMENTS);
    strcpy(fixture->program, "/opt/program");
    add_module(fixture);
    assert_all_found_with_lines(fixture);
    check_chain(fixture);
}

/* ... by a link, beside the file; the root is a relative path. */
static void debug_files_beside_are_found_below_a_relative_sysroot(void **state)
{
    struct fixture *fixture = *state;
    struct symbols_search search = { .sysroot = "./root" };
    char *before = getcwd(NULL, 0);

    build(fixture, "gcc -O2 -g");
    run(fixture, "mkdir -p root/opt && cd root/opt &&"
                 "objcopy --only-keep-debug ../../named_places program.debug &&"
                 "strip -o program ../../named_places &&"
                 "objcopy --add-gnu-debuglink=program.debug program &&"
                 "rm ../../named_places");
    assert_int_equal(chdir(fixture->folder), 0);
    symbols_destroy(fixture->symbols);
    fixture->symbols = symbols_create(&search, DEMANGLE_WITH_ARGUMENTS);
    strcpy(fixture->program, "/opt/program");
    add_module(fixture);
    assert_all_found_with_lines(fixture);
    assert_int_equal(chdir(before), 0);
    free(before);
}

static void what_a_module_lacks_is_told(void **state)
{
    static const uint8_t other[] = { 1 };
    struct fixture *fixture = *state;
    uint64_t address;
    struct symbol symbol;

    build(fixture, "gcc -O2");
    address = find_place(fixture, "in_static")->address;
    assert_int_equal(symbols_add_module(fixture->symbols, fixture->program,
                                        other, sizeof other),
                     0);
    assert_int_equal(
        symbols_add_module(fixture->symbols, "/nowhere/program", NULL, 0), 1);
    add_module(fixture);
    for (int i = 0; i < 3; i++)
        symbols_find(fixture->symbols, i, address, &symbol);
    assert_int_equal(symbols_lack(fixture->symbols, 0), SYMBOLS_LACK_SAME);
    assert_int_equal(symbols_lack(fixture->symbols, 1), SYMBOLS_LACK_FILE);
    assert_int_equal(symbols_lack(fixture->symbols, 2), SYMBOLS_LACK_SYMBOLS);
}

/* For repeated refreshes. */
static void modules_and_answers_are_kept(void **state)
{
    struct fixture *fixture = *state;
    struct symbol first, second;

    build(fixture, "gcc -O2 -g");
    add_module(fixture);
    assert_true(symbols_keep_module(fixture->symbols, 0, fixture->program,
                                    build_id, sizeof build_id));
    assert_false(symbols_keep_module(fixture->symbols, 0, "/another", build_id,
                                     sizeof build_id));
    assert_false(symbols_keep_module(fixture->symbols, 0, fixture->program,
                                     build_id, sizeof build_id - 1));
    assert_true(symbols_keep_module(fixture->symbols, 1, "/another", NULL, 0));
    assert_false(symbols_keep_module(fixture->symbols, 1, "/third", NULL, 0));
    first = find(fixture, "in_static");
    unlink(fixture->program);
    second = find(fixture, "in_static");
    assert_string_equal(first.function, "in_static");
    assert_ptr_equal(first.function, second.function);
    assert_ptr_equal(first.file, second.file);
    assert_int_equal(first.line, second.line);
}

/* Names come from files that are closed by then, and others from files that are
   opened again. */
static void answers_outlive_their_files(void **state)
{
    static const uint8_t other[] = { 1 };
    struct fixture *fixture = *state;
    struct symbol first, symbol;

    build(fixture, "gcc -O2 -g");
    add_module(fixture);
    symbols_add_module(fixture->symbols, fixture->program, other, sizeof other);
    first = find(fixture, "in_static");
    symbols_find(fixture->symbols, 1, 1, &symbol);
    symbols_rest(fixture->symbols);
    symbols_rest(fixture->symbols);
    assert_int_equal(symbols_lack(fixture->symbols, 1), SYMBOLS_LACK_SAME);
    assert_string_equal(first.function, "in_static");
    assert_all_found_with_lines(fixture);
    symbols_rest(fixture->symbols);
    unlink(fixture->program);
    assert_all_found_with_lines(fixture);
    assert_ptr_equal(first.file, find(fixture, "in_static").file);
}

static void places_outside_the_file_have_no_name(void **state)
{
    static const uint64_t places[] = { 0, 1, 0x40000000, UINT64_MAX };
    struct fixture *fixture = *state;
    struct symbol symbol;

    build(fixture, "gcc -O2 -g");
    add_module(fixture);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        assert_false(symbols_find(fixture->symbols, fixture->module, places[i],
                                  &symbol));
}

static void the_network_is_not_asked(void **state)
{
    struct symbols *symbols;

    (void)state;
    setenv("DEBUGINFOD_URLS", "http://127.0.0.1:1", 1);
    symbols_destroy(
        symbols_create(&(struct symbols_search){ .network = SYMBOLS_DEBUGINFOD,
                                                 .sysroot = NULL },
                       DEMANGLE_WITH_ARGUMENTS));
    assert_non_null(getenv("DEBUGINFOD_URLS"));
    symbols = symbols_create(NULL, DEMANGLE_WITH_ARGUMENTS);
    assert_null(getenv("DEBUGINFOD_URLS"));
    symbols_destroy(symbols);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, create, destroy)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(debug_information_gives_function_file_and_line),
        TEST(what_lies_behind_a_unit_has_no_line),
        TEST(debug_information_of_clang_does_too),
        TEST(the_symbol_table_gives_static_functions),
        TEST(a_stripped_file_names_nothing_behind_a_symbol),
        TEST(separate_debug_information_is_found),
        TEST(another_build_gives_no_names),
        TEST(another_build_id_gives_no_names),
        TEST(a_file_that_is_gone_gives_no_names),
        TEST(a_pipe_is_no_module),
        TEST(a_file_that_is_no_program_gives_no_names),
        TEST(linkage_tables_are_named_as_such),
        TEST(all_that_was_inlined_is_found),
        TEST(what_was_inlined_is_found_in_split_files),
        TEST(all_that_clang_inlined_is_found),
        TEST(another_machines_files_are_found_below_a_sysroot),
        TEST(debug_files_beside_are_found_below_a_relative_sysroot),
        TEST(what_a_module_lacks_is_told),
        TEST(modules_and_answers_are_kept),
        TEST(answers_outlive_their_files),
        TEST(places_outside_the_file_have_no_name),
        cmocka_unit_test(the_network_is_not_asked),
    };

    return skip_status(cmocka_run_group_tests(tests, NULL, NULL));
}
