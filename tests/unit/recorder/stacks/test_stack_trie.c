/* SPDX-License-Identifier: Apache-2.0 */
/* test_stack_trie.c - each frame and each site is entered once, and again after
   an unload */
#include "recorder/stacks/stack_trie.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "ledger/blocks/ledger_blocks.h"
#include "ledger/space/ledger_writer.h"
#include "ledger/space/modules.h"
#include "ledger/space/process.h"
#include "tests/fakes/fake_port.h"

/* A word differs from the site's id. */
enum { MANY = 20000, WORD_OF_FIRST = 5 };

static struct ledger_frame frames[MANY + 1];
static struct ledger_site sites[MANY + 1];
static uint32_t frame_count, site_count, room;
static uint32_t module_now;
static uint64_t cut_count;

/* Another thread enters the same place while this one writes, or before. */
static bool comes_before, comes_between;
static uint32_t others;

static uint32_t frame_of(uint32_t parent, uintptr_t address)
{
    bool is_new = false;

    return stack_trie_frame(&(struct module_range){ 0 }, parent, address,
                            &is_new);
}

static uint32_t site_of(enum ledger_site_kind kind, uint32_t frame,
                        uintptr_t caller, bool is_cut)
{
    return stack_trie_site(&(struct module_range){ 0 }, kind, frame, caller,
                           is_cut, false);
}

static void let_come(bool *comes, uintptr_t address)
{
    bool is_now = *comes;

    *comes = false;
    if (is_now)
        others = frame_of(0, address);
}

uint32_t ledger_write_frame(uint32_t parent, uintptr_t address, uint32_t module)
{
    let_come(&comes_between, address);
    if (frame_count == room)
        return 0;
    frames[++frame_count] = (struct ledger_frame){ parent, module, address };
    return frame_count;
}

struct ledger_frame *ledger_frame_at(uint32_t index)
{
    return index == 0 || index > frame_count ? NULL : &frames[index];
}

uint32_t ledger_write_stack(enum ledger_site_kind kind, uintptr_t address,
                            uint32_t module, uint32_t frame)
{
    if (site_count == room)
        return 0;
    sites[++site_count] = (struct ledger_site){
        .kind = kind, .address = address, .module = module, .frame = frame
    };
    return site_count;
}

uint32_t ledger_word_of(uint32_t id)
{
    return (id + WORD_OF_FIRST - 1) | REFERENCE_BIT;
}

struct ledger_site *ledger_site_of(uint32_t reference)
{
    return &sites[reference - (WORD_OF_FIRST - 1)];
}

uint32_t modules_find_near(uintptr_t address, struct module_range *near)
{
    (void)near;
    let_come(&comes_before, address);
    return module_now;
}

void process_count(enum ledger_count which, uint64_t added)
{
    assert_int_equal(which, LEDGER_COUNT_truncated_stacks);
    cut_count += added;
}

static int open_trie(void **state)
{
    (void)state;
    fake_port_reset();
    frame_count = site_count = 0;
    room = MANY;
    module_now = 1;
    cut_count = 0;
    return stack_trie_open();
}

static void a_frame_is_written_once(void **state)
{
    uint32_t outer = frame_of(0, 0x1000);
    uint32_t inner = frame_of(outer, 0x2000);

    (void)state;
    assert_int_equal(frame_of(0, 0x1000), outer);
    assert_int_equal(frame_of(outer, 0x2000), inner);
    assert_int_equal(frame_count, 2);
    assert_int_equal(frames[inner].parent, outer);
    assert_int_equal(frames[inner].address, 0x2000);
    assert_int_equal(frames[inner].module, 1);
}

static void who_comes_second_goes_on_with_the_first(void **state)
{
    uint32_t frame;

    (void)state;
    comes_before = true;
    frame = frame_of(0, 0x1000);
    assert_int_equal(frame, others);
    assert_int_equal(frame_count, 1);
    comes_between = true;
    frame = frame_of(0, 0x2000);
    assert_int_equal(frame, others);
    assert_int_equal(frame_count, 3); /* one that is never found */
    assert_int_equal(frame_of(0, 0x2000), others);
}

static void the_same_address_from_elsewhere_is_another(void **state)
{
    uint32_t outer = frame_of(0, 0x1000);

    (void)state;
    assert_true(frame_of(0, 0x2000) != frame_of(outer, 0x2000));
    assert_true(frame_of(LEDGER_FRAME_CUT, 0x1000) != outer);
}

static void a_site_is_written_once(void **state)
{
    uint32_t word = site_of(LEDGER_SITE_HEAP, 7, 0x1000, false);

    (void)state;
    assert_int_equal(word, WORD_OF_FIRST | REFERENCE_BIT);
    assert_int_equal(site_of(LEDGER_SITE_HEAP, 7, 0x1000, false), word);
    assert_true(site_of(LEDGER_SITE_HEAP, 8, 0x1000, false) != word);
    assert_int_equal(site_count, 2);
    assert_int_equal(sites[1].frame, 7);
    assert_int_equal(cut_count, 0);
}

static void under_a_new_frame_all_is_new(void **state)
{
    struct module_range near = { 0 };
    bool is_new = false;
    uint32_t outer, inner, word;

    (void)state;
    outer = stack_trie_frame(&near, 0, 0x1000, &is_new);
    assert_true(is_new);
    inner = stack_trie_frame(&near, outer, 0x2000, &is_new);
    assert_true(is_new);
    word = stack_trie_site(&near, LEDGER_SITE_HEAP, inner, 0x3000, false, true);
    is_new = false;
    assert_int_equal(stack_trie_frame(&near, 0, 0x1000, &is_new), outer);
    assert_false(is_new);
    assert_int_equal(frame_of(outer, 0x2000), inner);
    assert_int_equal(site_of(LEDGER_SITE_HEAP, inner, 0x3000, false), word);
    assert_int_equal(frame_count, 2);
    assert_int_equal(site_count, 1);
    /* another thread was faster: both go on with the first */
    is_new = true;
    assert_int_equal(stack_trie_frame(&near, outer, 0x2000, &is_new), inner);
    assert_int_equal(frame_count, 3);
}

static void a_stack_cut_off_is_counted_once(void **state)
{
    (void)state;
    site_of(LEDGER_SITE_HEAP, LEDGER_FRAME_CUT, 0x1000, true);
    site_of(LEDGER_SITE_HEAP, LEDGER_FRAME_CUT, 0x1000, true);
    assert_int_equal(cut_count, 1);
}

static void the_same_file_has_its_own_back(void **state)
{
    uint32_t frame = frame_of(0, 0x1000);
    uint32_t word = site_of(LEDGER_SITE_HEAP, frame, 0x2000, false);

    (void)state;
    stack_trie_forget();
    assert_int_equal(frame_of(0, 0x1000), frame);
    assert_int_equal(site_of(LEDGER_SITE_HEAP, frame, 0x2000, false), word);
    assert_int_equal(frame_count, 1);
    assert_int_equal(site_count, 1);
}

static void another_file_has_others(void **state)
{
    uint32_t frame = frame_of(0, 0x1000);
    uint32_t word = site_of(LEDGER_SITE_HEAP, frame, 0x2000, false);
    uint32_t other;

    (void)state;
    stack_trie_forget();
    module_now = 2;
    other = frame_of(0, 0x1000);
    assert_true(other != frame);
    assert_true(site_of(LEDGER_SITE_HEAP, frame, 0x2000, false) != word);
    assert_int_equal(frames[other].module, 2);
    stack_trie_forget();
    module_now = 1;
    assert_int_equal(frame_of(0, 0x1000), frame);
    assert_int_equal(site_of(LEDGER_SITE_HEAP, frame, 0x2000, false), word);
}

static void many_are_told_apart(void **state)
{
    static uint32_t ids[MANY];

    (void)state;
    for (uint32_t i = 0; i < MANY; i++)
        ids[i] = frame_of(i / 100, 0x400000 + i % 100);
    for (uint32_t i = 0; i < MANY; i++) {
        const struct ledger_frame *frame = ledger_frame_at(ids[i]);

        assert_int_equal(frame->parent, i / 100);
        assert_int_equal(frame->address, 0x400000 + i % 100);
        assert_int_equal(frame_of(i / 100, 0x400000 + i % 100), ids[i]);
    }
    assert_int_equal(frame_count, MANY);
}

static void without_room_there_is_none(void **state)
{
    (void)state;
    room = 0;
    assert_int_equal(frame_of(0, 0x1000), 0);
    assert_int_equal(site_of(LEDGER_SITE_HEAP, 0, 0x1000, true), 0);
    assert_int_equal(cut_count, 0);
    room = 1;
    assert_int_equal(frame_of(0, 0x1000), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_frame_is_written_once, open_trie),
        cmocka_unit_test_setup(who_comes_second_goes_on_with_the_first,
                               open_trie),
        cmocka_unit_test_setup(the_same_address_from_elsewhere_is_another,
                               open_trie),
        cmocka_unit_test_setup(a_site_is_written_once, open_trie),
        cmocka_unit_test_setup(under_a_new_frame_all_is_new, open_trie),
        cmocka_unit_test_setup(a_stack_cut_off_is_counted_once, open_trie),
        cmocka_unit_test_setup(the_same_file_has_its_own_back, open_trie),
        cmocka_unit_test_setup(another_file_has_others, open_trie),
        cmocka_unit_test_setup(many_are_told_apart, open_trie),
        cmocka_unit_test_setup(without_room_there_is_none, open_trie),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
