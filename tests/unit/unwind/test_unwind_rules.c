/* SPDX-License-Identifier: Apache-2.0 */
/* test_unwind_rules.c - rules created once, dropped, and reused if equal */
#include "unwind/unwind_rules.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "ports/posix/loaded_files.h"
#include "ports/posix/memory/pages.h"
#include "tests/fakes/fake_port.h"

#define HEADER UINT64_C(0x4000)

static struct unwind_rules rules;
static struct cfi_machine machine;

static unsigned made;           /* calls of unwind_rule_make */
static unsigned searches;       /* calls of loaded_files_segment */
static struct unwind_rule next; /* its result */
static bool is_loaded, has_header, has_segment;
static uintptr_t entry_start; /* of the only function; 0: there is none */

bool loaded_files_find(uintptr_t address, struct loaded_file *file)
{
    (void)address;
    *file = (struct loaded_file){ .eh_frame_header = has_header ? HEADER : 0 };
    return is_loaded;
}

bool loaded_files_segment(const struct loaded_file *file, uintptr_t address,
                          uintptr_t *start, uintptr_t *end)
{
    assert_int_equal(file->eh_frame_header, address);
    searches++;
    *start = HEADER - 0x1000;
    *end = HEADER + 0x1000;
    return has_segment;
}

struct unwind_rule unwind_rule_make(uintptr_t address, struct cfi_machine *of)
{
    (void)address;
    assert_int_equal(of->file.header, HEADER);
    made++;
    return next;
}

uintptr_t eh_frame_open(struct eh_frame_file *of)
{
    return of->header;
}

bool eh_frame_find(const struct eh_frame_file *file, uintptr_t address,
                   struct cfi_entry *entry)
{
    (void)file;
    entry->start = entry_start;
    return entry_start != 0 && address >= entry_start;
}

void pages_unlock(void *pages, size_t size)
{
    (void)pages;
    (void)size;
}

static int open_rules(void **state)
{
    (void)state;
    fake_port_reset();
    rules = (struct unwind_rules){ 0 };
    cfi_forget(&machine);
    made = searches = 0;
    next = (struct unwind_rule){ .kind = UNWIND_RULE_PLAIN,
                                 .cfa_register = CFI_RSP,
                                 .cfa_offset = 48 };
    is_loaded = has_header = has_segment = true;
    entry_start = 0;
    return unwind_rules_open(&rules);
}

static struct unwind_rule find(uintptr_t address)
{
    return unwind_rules_find(&rules, address, &machine);
}

static void a_rule_is_made_once(void **state)
{
    (void)state;
    assert_int_equal(find(0x5000).cfa_offset, 48);
    assert_int_equal(find(0x5000).cfa_offset, 48);
    assert_int_equal(made, 1);
    next.cfa_offset = 64;
    assert_int_equal(find(0x5001).cfa_offset, 64);
    assert_int_equal(find(0x5000).cfa_offset, 48);
    assert_int_equal(made, 2);
}

static void what_is_forgotten_is_made_again(void **state)
{
    (void)state;
    find(0x5000);
    unwind_rules_forget(&rules);
    next.cfa_offset = 64;
    assert_int_equal(find(0x5000).cfa_offset, 64);
    assert_int_equal(find(0x5000).cfa_offset, 64);
    assert_int_equal(made, 2);
}

static void the_same_rule_wakes(void **state)
{
    (void)state;
    find(0x5000);
    assert_int_equal(rules.count, 2);
    unwind_rules_forget(&rules);
    assert_int_equal(find(0x5000).cfa_offset, 48);
    assert_int_equal(made, 2);
    assert_int_equal(rules.count, 2);
    assert_int_equal(find(0x5000).cfa_offset, 48);
    assert_int_equal(made, 2);
}

/* A, then B, then A again at the address of A. */
static void each_wakes_at_its_turn(void **state)
{
    (void)state;
    find(0x5000);
    unwind_rules_forget(&rules);
    next.cfa_offset = 64;
    find(0x5000);
    unwind_rules_forget(&rules);
    next.cfa_offset = 48;
    assert_int_equal(find(0x5000).cfa_offset, 48);
    assert_int_equal(rules.count, 3);
}

static void code_of_no_file_has_none(void **state)
{
    (void)state;
    is_loaded = false;
    assert_int_equal(find(0x5000).kind, UNWIND_RULE_NONE);
    is_loaded = true;
    has_header = false;
    assert_int_equal(find(0x5001).kind, UNWIND_RULE_NONE);
    has_header = true;
    has_segment = false;
    assert_int_equal(find(0x5002).kind, UNWIND_RULE_NONE);
    assert_int_equal(made, 0);
}

/* Its header and its frames are searched for, then known until forgotten; a
   failure is not kept. */
static void a_file_is_searched_once(void **state)
{
    (void)state;
    has_segment = false;
    find(0x5000);
    has_segment = true;
    find(0x5001);
    assert_int_equal(searches, 3);
    find(0x5002);
    is_loaded = false;
    find(0x5003);
    is_loaded = true;
    find(0x5004);
    assert_int_equal(searches, 3);
    cfi_forget(&machine);
    find(0x5005);
    assert_int_equal(searches, 5);
    assert_int_equal(made, 4);
}

/* A return address that is a function's first instruction: no caller. */
static void the_start_of_a_function_ends_a_stack(void **state)
{
    (void)state;
    next.kind = UNWIND_RULE_NONE;
    entry_start = 0x5001;
    assert_int_equal(find(0x5000).kind, UNWIND_RULE_ENTRY);
    assert_int_equal(find(0x5001).kind, UNWIND_RULE_NONE);
}

static void many_rules_have_room(void **state)
{
    enum { MANY = 3 * UNWIND_RULES_TOGETHER };

    (void)state;
    for (int i = 0; i < MANY; i++) {
        next.cfa_offset = i;
        find(0x5000 + (uintptr_t)i * 5);
    }
    for (int i = 0; i < MANY; i++)
        assert_int_equal(find(0x5000 + (uintptr_t)i * 5).cfa_offset, i);
    assert_int_equal(made, MANY);
}

static void without_memory_it_is_made_each_time(void **state)
{
    (void)state;
    fake_port_fail_from(1);
    assert_int_equal(find(0x5000).cfa_offset, 48);
    assert_int_equal(find(0x5000).cfa_offset, 48);
    assert_int_equal(made, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_rule_is_made_once, open_rules),
        cmocka_unit_test_setup(what_is_forgotten_is_made_again, open_rules),
        cmocka_unit_test_setup(the_same_rule_wakes, open_rules),
        cmocka_unit_test_setup(each_wakes_at_its_turn, open_rules),
        cmocka_unit_test_setup(code_of_no_file_has_none, open_rules),
        cmocka_unit_test_setup(a_file_is_searched_once, open_rules),
        cmocka_unit_test_setup(the_start_of_a_function_ends_a_stack,
                               open_rules),
        cmocka_unit_test_setup(many_rules_have_room, open_rules),
        cmocka_unit_test_setup(without_memory_it_is_made_each_time, open_rules),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
