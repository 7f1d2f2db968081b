/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_stack_cache.c - found if all inputs are unchanged, and only then
 *
 * The stack is 64 invented words: the registers in the first six, then the
 * return address. This file is long because each invariant of stack_cache.h has
 * its cases here.
 */
#include "recorder/stacks/stack_cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "ports/posix/memory/pages.h"
#include "tests/fakes/fake_port.h"

enum { WORDS = 64, RETURN = UNWIND_SAVED, PAGE = 4096, SITE = 0x401234 };

static struct stack_cache *cache;
static uint64_t words[WORDS];
static uint32_t spare;

void pages_unlock(void *pages, size_t size)
{
    (void)pages;
    (void)size;
}

static int open_cache(void **state)
{
    (void)state;
    fake_port_reset();
    for (uint64_t i = 0; i < WORDS; i++)
        words[i] = 1000 + i;
    words[RETURN] = SITE;
    spare = 0;
    cache = stack_cache_open(NULL, &spare);
    return cache == NULL;
}

static void begin_result(const uint64_t *at)
{
    cache->unwinder.origin = (uintptr_t)(at + RETURN);
    cache->unwinder.is_repeatable = true;
    cache->unwinder.input_count = 0;
    cache->unwinder.offsets = cache->unwinder.offset_memory;
    cache->unwinder.inputs = cache->unwinder.input_memory;
}

static void add_input(const uint64_t *at, const uint64_t *input)
{
    struct unwinder *unwinder = &cache->unwinder;

    unwinder->offsets[unwinder->input_count] =
        (int32_t)(((const char *)input - (const char *)(at + RETURN)));
    unwinder->inputs[unwinder->input_count++] = *input;
}

/* Enter a stack at `words` that depends on these inputs and leads to `word`. */
static void keep(const int *inputs, size_t count, uint32_t word)
{
    begin_result(words);
    for (size_t i = 0; i < count; i++)
        add_input(words, &words[inputs[i]]);
    stack_cache_keep(cache, word);
}

/* Search like the recorder: the newest entry, then its successor, then all. */
static const struct stack_entry *find_marked(const uint64_t *at, uintptr_t mark)
{
    uintptr_t origin = (uintptr_t)(at + RETURN);
    const struct stack_entry *entry =
        stack_cache_newest(cache, origin, at[RETURN]);
    const struct stack_input *differs;

    if (!stack_entry_is_for(entry, origin, at[RETURN], mark))
        return stack_cache_find(cache, origin, at[RETURN], mark, NULL);
    differs = stack_entry_compare(entry, origin);
    if (stack_input_is_last(differs))
        return entry;
    entry = stack_cache_find_other(cache, origin, at[RETURN], mark, differs);
    return entry != NULL
               ? entry
               : stack_cache_find(cache, origin, at[RETURN], mark, differs);
}

/* Search for entries of both kinds. */
static uint32_t find_at(const uint64_t *at)
{
    const struct stack_entry *entry = find_marked(at, 0);

    if (entry == NULL)
        entry = find_marked(at, STACK_ENTRY_SAVED);
    return entry != NULL ? entry->word : 0;
}

static uint32_t find(void)
{
    return find_at(words);
}

static const int inputs[] = { 9, 1, 20, 33, 12, 40, 41, 63, 2 };

enum { INPUTS = sizeof inputs / sizeof *inputs };

static bool is_input(int number)
{
    for (int i = 0; i < INPUTS; i++) {
        if (inputs[i] == number)
            return true;
    }
    return number == RETURN;
}

static void an_empty_one_knows_nothing(void **state)
{
    (void)state;
    assert_int_equal(find(), 0);
}

/* Compare any number of inputs, several at a time. */
static void found_as_long_as_all_inputs_are_the_same(void **state)
{
    (void)state;
    for (size_t count = 1; count <= INPUTS; count++) {
        stack_cache_clear(cache, 0);
        keep(inputs, count, 77);
        assert_int_equal(find(), 77);
        for (size_t i = 0; i < count; i++) {
            words[inputs[i]]++;
            assert_int_equal(find(), 0);
            words[inputs[i]]--;
        }
        assert_int_equal(find(), 77);
    }
}

static void nothing_else_matters(void **state)
{
    (void)state;
    keep(inputs, INPUTS, 77);
    for (int i = 0; i < WORDS; i++) {
        if (is_input(i))
            continue;
        words[i] = ~words[i];
        assert_int_equal(find(), 77);
    }
}

static void another_place_or_call_is_another(void **state)
{
    uint64_t other[WORDS];

    (void)state;
    keep(inputs, INPUTS, 77);
    memcpy(other, words, sizeof other);
    assert_int_equal(find_at(other), 0);
    words[RETURN]++;
    assert_int_equal(find(), 0);
}

static void several_of_one_call_and_place(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 20; i++) {
        words[33] = i;
        words[9] = i % 2; /* the first input */
        keep(inputs, INPUTS, 100 + i);
    }
    for (uint32_t i = 0; i < 20; i++) {
        words[33] = i;
        words[9] = i % 2;
        assert_int_equal(find(), 100 + i);
    }
    words[33] = 20;
    assert_int_equal(find(), 0);
}

/* Different callers may depend on different words. */
static void inputs_in_other_places(void **state)
{
    const int others[] = { 9, 30 };

    (void)state;
    keep(inputs, INPUTS, 77);
    words[1]++;
    keep(others, 2, 88);
    assert_int_equal(find(), 88);
    words[1]--;
    assert_true(find() == 77 || find() == 88);
    words[30]++;
    assert_int_equal(find(), 77);
}

static void not_kept(void **state)
{
    (void)state;
    keep(inputs, 0, 77);
    assert_int_equal(find(), 0);
    begin_result(words);
    add_input(words, &words[9]);
    cache->unwinder.is_repeatable = false;
    stack_cache_keep(cache, 77);
    assert_int_equal(find(), 0);
}

static void cleared_is_empty(void **state)
{
    (void)state;
    keep(inputs, INPUTS, 77);
    stack_cache_clear(cache, 5);
    assert_int_equal(cache->generation, 5);
    assert_int_equal(find(), 0);
    keep(inputs, INPUTS, 78);
    assert_int_equal(find(), 78);
}

/* The last word of the first page differs: the next page is not read. */
static void compared_up_to_the_first_that_differs(void **state)
{
    char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t *at = (void *)(pages + PAGE - WORDS * 8);

    (void)state;
    memcpy(at, words, sizeof words);
    for (size_t before = 1; before <= 8; before++) {
        stack_cache_clear(cache, 0);
        at[WORDS - 1] = 1;
        begin_result(at);
        for (size_t i = 0; i < before; i++)
            add_input(at, &at[WORDS - 1 - i]);
        add_input(at, &at[WORDS]);
        stack_cache_keep(cache, 77);
        assert_int_equal(find_at(at), 77);
        at[WORDS - before]++;
        mprotect(pages + PAGE, PAGE, PROT_NONE);
        assert_int_equal(find_at(at), 0);
        mprotect(pages + PAGE, PAGE, PROT_READ | PROT_WRITE);
        at[WORDS - before]--;
    }
    munmap(pages, 2 * PAGE);
}

static void keep_many(uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        words[9] = i;
        keep(inputs, INPUTS, i);
    }
}

/* Memory is bounded; entries found are correct at all times. */
static void full_begins_anew(void **state)
{
    uint32_t found = 0;

    (void)state;
    keep_many(1, 20000);
    assert_int_equal(find(), 19999);
    for (uint32_t i = 1; i < 20000; i++) {
        uint32_t word;

        words[9] = i;
        word = find();
        assert_true(word == 0 || word == i);
        found += word != 0;
    }
    assert_in_range(found, 1, STACK_CACHE_SMALLEST / 100);
    assert_int_equal(cache->size, STACK_CACHE_SMALLEST);
}

static void grows_as_long_as_there_is_more(void **state)
{
    (void)state;
    stack_cache_close(cache);
    cache = stack_cache_open(NULL, &spare);
    spare = 4 * STACK_CACHE_SMALLEST;
    keep_many(1, 20000);
    assert_int_equal(cache->size, 4 * STACK_CACHE_SMALLEST);
    assert_int_equal(spare, STACK_CACHE_SMALLEST);
    assert_int_equal(find(), 19999);
    stack_cache_close(cache);
    assert_int_equal(fake_port_pages_out(), 0);
}

static void without_memory_it_stays_small(void **state)
{
    (void)state;
    stack_cache_close(cache);
    for (uint64_t i = 1; i <= 2; i++) {
        fake_port_fail_at(i);
        assert_null(stack_cache_open(NULL, &spare));
        assert_int_equal(fake_port_pages_out(), 0);
    }
    fake_port_fail_at(0);
    cache = stack_cache_open(NULL, &spare);
    spare = 4 * STACK_CACHE_SMALLEST;
    fake_port_fail_from(1);
    keep_many(1, 20000);
    assert_int_equal(find(), 19999);
    assert_int_equal(cache->size, STACK_CACHE_SMALLEST);
    assert_int_equal(spare, 4 * STACK_CACHE_SMALLEST);
}

static void the_deepest_stack_has_room(void **state)
{
    (void)state;
    keep(inputs, INPUTS, 78);
    begin_result(words);
    for (int i = 0; i < UNWIND_INPUTS; i++)
        add_input(words, &words[33]);
    stack_cache_keep(cache, 77);
    assert_int_equal(find(), 77);
    assert_int_equal(cache->size, STACK_CACHE_SMALLEST);
}

/* A caller that has not saved the registers does not search for such a
   stack. */
static void one_that_depends_on_registers_is_marked(void **state)
{
    const int saved[] = { 20, RETURN - 1 };

    (void)state;
    keep(saved, 2, 77);
    assert_null(find_marked(words, 0));
    assert_non_null(find_marked(words, STACK_ENTRY_SAVED));
}

/* Enter stacks that differ from one another in `words[33]`. */
static void keep_in_turn(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        words[33] = i;
        keep(inputs, INPUTS, 100 + i);
    }
    for (uint32_t i = 0; i < 2 * count; i++) {
        words[33] = i % count;
        assert_int_equal(find(), 100 + i % count);
    }
}

static void lose_edges(void)
{
    memset(stack_cache_edges(cache), 0,
           cache->size / STACK_CACHE_EDGE_SHARE * sizeof(struct stack_edge));
}

/* Only the successor leads to them, not the edges. */
static void what_followed_is_found_without_a_search(void **state)
{
    (void)state;
    keep_in_turn(7);
    lose_edges();
    for (uint32_t i = 0; i < 50; i++) {
        words[33] = i % 7;
        assert_int_equal(find(), 100 + i % 7);
    }
    words[33] = 2; /* never followed the last one */
    assert_int_equal(find(), 0);
}

/* From the first to the second by one word, and from there to the third by
   another; and from the first to the third. */
static void what_followed_leads_on(void **state)
{
    (void)state;
    keep(inputs, INPUTS, 77);
    words[33]++;
    keep(inputs, INPUTS, 88);
    words[33]--;
    assert_int_equal(find(), 77);
    words[33]++;
    assert_int_equal(find(), 88);
    words[41]++;
    keep(inputs, INPUTS, 99);
    words[41]--;
    assert_int_equal(find(), 88);
    words[41]++;
    assert_int_equal(find(), 99);
    words[33]--;
    words[41]--;
    assert_int_equal(find(), 77);
    words[33]++;
    words[41]++;
    assert_int_equal(find(), 99);
}

/*
 * The model: a walk reads words from the first input on; each value leads to
 * the next place. Return a hash of all that it read, which stands for the
 * stack.
 */
static uint32_t walk_model(bool is_kept)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    int at = 9;
    uint64_t left = 6 + words[at] % 8;

    begin_result(words);
    for (; left > 0; left--) {
        if (is_kept)
            add_input(words, &words[at]);
        hash = (hash ^ (words[at] * WORDS + (uint64_t)at)) *
               UINT64_C(0x100000001b3);
        at = RETURN + 1 +
             (int)(((uint64_t)at * 5 + words[at] * 19 + 1) %
                   (WORDS - RETURN - 1));
    }
    return (uint32_t)(hash >> 33) | 1;
}

static bool is_added(uint32_t *seen, uint32_t count, uint32_t word)
{
    uint32_t i = word * UINT32_C(0x9e3779b1) & (count - 1);

    for (; seen[i] != 0 && seen[i] != word; i = (i + 1) & (count - 1))
        ;
    if (seen[i] == word)
        return false;
    seen[i] = word;
    return true;
}

/* A million stacks, each of which differs in one word from the one before:
   each is found if it was kept, and none is taken for another. */
static void as_in_a_model(void **state)
{
    enum { SEEN = 1 << 18 };
    static uint32_t seen[SEEN];
    uint64_t random = UINT64_C(88172645463325252);
    uint32_t known = 0;

    (void)state;
    spare = 1u << 30;
    for (int i = 0; i < WORDS; i++)
        words[i] = i == RETURN ? SITE : 0;
    for (int round = 0; round < 1000000; round++) {
        uint32_t word, found, used;

        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        words[RETURN + 1 + random % (WORDS - RETURN - 1)] = (random >> 40) % 3;
        word = walk_model(false);
        found = find();
        if (found != 0) {
            assert_int_equal(found, word);
            known++;
            continue;
        }
        assert_true(is_added(seen, SEEN, word));
        walk_model(true);
        used = cache->used;
        stack_cache_keep(cache, word);
        if (cache->used < used) { /* it was full, and begins anew */
            memset(seen, 0, sizeof seen);
            is_added(seen, SEEN, word);
        }
    }
    assert_in_range(known, 500000, 999999);
}

/* The distinguishing word is unchanged, but not all inputs are. */
static void what_followed_is_compared(void **state)
{
    (void)state;
    keep_in_turn(2);
    for (int i = 0; i < INPUTS; i++) {
        if (inputs[i] == 33)
            continue;
        words[33] = 1;
        assert_int_equal(find(), 101);
        words[33] = 0;
        words[inputs[i]]++;
        assert_int_equal(find(), 0);
        words[inputs[i]]--;
        assert_int_equal(find(), 100);
    }
}

static const int unsaved[] = { 9, 20, 33, 12 }; /* no registers */

/* The stack changes after a search in vain: its entry has another place. */
static void added_where_it_belongs(void **state)
{
    (void)state;
    keep(unsaved, 4, 77);
    words[33]++;
    assert_null(find_marked(words, 0));
    assert_true(cache->search.is_missed);
    words[33]++;
    keep(unsaved, 4, 88);
    assert_int_equal(find(), 88);
    words[33]--;
    assert_null(find_marked(words, 0));
    keep(unsaved, 4, 99);
    assert_int_equal(find(), 99);
    words[33]--;
    assert_int_equal(find(), 77);
    words[33]++;
    assert_int_equal(find(), 99);
}

/* A walk follows at once, without a second search for the same stack. */
static void searched_for_once(void **state)
{
    const struct unwind_origin *origin = (const void *)words;

    (void)state;
    keep(unsaved, 4, 77);
    words[33]++;
    assert_null(find_marked(words, 0));
    words[33]--;
    assert_null(stack_cache_find_saved(cache, origin));
    keep(unsaved, 4, 77);
    assert_non_null(stack_cache_find_saved(cache, origin));
    words[RETURN]++;
    assert_null(stack_cache_find_saved(cache, origin));
    words[RETURN]--;
    assert_non_null(stack_cache_find_saved(cache, origin));
}

static void one_call_at_a_time(void **state)
{
    (void)state;
    cache->unwinder.memory.low = 1000;
    cache->unwinder.memory.high = 9000;
    assert_true(stack_cache_enter(cache, 5000));
    assert_false(stack_cache_enter(cache, 4000)); /* interrupted it */
    assert_false(stack_cache_enter(cache, 5000));
    assert_false(stack_cache_enter(cache, 9000)); /* on a separate stack */
    assert_false(stack_cache_enter(cache, 900));
    stack_cache_leave(cache);
    assert_true(stack_cache_enter(cache, 4000));
    assert_true(stack_cache_enter(cache, 5000)); /* that frame is gone */
    stack_cache_leave(cache);
    assert_true(stack_cache_enter(cache, 900));
    assert_false(stack_cache_enter(cache, 5000)); /* unknown */
    stack_cache_leave(cache);
}

/* Two hundred labels of one stack are each found at once. */
static void each_label_has_its_own(void **state)
{
    static uint64_t label; /* near the words */

    (void)state;
    cache->label = &label;
    for (uint32_t i = 0; i < 200; i++) {
        label = (uintptr_t)&label | (uint64_t)i << 48;
        keep(inputs, INPUTS, 100 + i);
    }
    for (uint32_t i = 0; i < 200; i++) {
        label = (uintptr_t)&label | (uint64_t)(i * 7 % 200) << 48;
        assert_int_equal(find(), 100 + i * 7 % 200);
    }
    label = (uintptr_t)&label | UINT64_C(200) << 48;
    assert_int_equal(find(), 0);
    label = (uintptr_t)&label;
    words[33]++;
    assert_int_equal(find(), 0);
}

static void not_kept_with_a_label_out_of_reach(void **state)
{
    (void)state;
    cache->label = (const uint64_t *)((uintptr_t)words + (UINT64_C(1) << 40));
    begin_result(words);
    add_input(words, &words[9]);
    assert_int_equal(cache->used, sizeof(struct stack_entry));
    stack_cache_keep(cache, 77);
    assert_int_equal(cache->used, sizeof(struct stack_entry));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(an_empty_one_knows_nothing, open_cache),
        cmocka_unit_test_setup(found_as_long_as_all_inputs_are_the_same,
                               open_cache),
        cmocka_unit_test_setup(nothing_else_matters, open_cache),
        cmocka_unit_test_setup(another_place_or_call_is_another, open_cache),
        cmocka_unit_test_setup(several_of_one_call_and_place, open_cache),
        cmocka_unit_test_setup(inputs_in_other_places, open_cache),
        cmocka_unit_test_setup(not_kept, open_cache),
        cmocka_unit_test_setup(cleared_is_empty, open_cache),
        cmocka_unit_test_setup(compared_up_to_the_first_that_differs,
                               open_cache),
        cmocka_unit_test_setup(full_begins_anew, open_cache),
        cmocka_unit_test_setup(grows_as_long_as_there_is_more, open_cache),
        cmocka_unit_test_setup(without_memory_it_stays_small, open_cache),
        cmocka_unit_test_setup(the_deepest_stack_has_room, open_cache),
        cmocka_unit_test_setup(one_that_depends_on_registers_is_marked,
                               open_cache),
        cmocka_unit_test_setup(what_followed_is_found_without_a_search,
                               open_cache),
        cmocka_unit_test_setup(what_followed_leads_on, open_cache),
        cmocka_unit_test_setup(what_followed_is_compared, open_cache),
        cmocka_unit_test_setup(as_in_a_model, open_cache),
        cmocka_unit_test_setup(added_where_it_belongs, open_cache),
        cmocka_unit_test_setup(searched_for_once, open_cache),
        cmocka_unit_test_setup(one_call_at_a_time, open_cache),
        cmocka_unit_test_setup(each_label_has_its_own, open_cache),
        cmocka_unit_test_setup(not_kept_with_a_label_out_of_reach, open_cache),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
