/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_ctf_forms.c - streams of all forms, with and without metadata, intact
 * and damaged
 *
 * A model writes memory events in the form that a compiler gives ZPL's struct,
 * and Zephyr's events between them, with pauses of seconds. An intact stream
 * reads back whole; a damaged one has no region that was not written.
 */
#include "format/ctf/ctf_input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/bytes.h"
#include "format/ctf/ctf_stream.h"
#include "tests/fakes/random_sequence.h"

enum { STREAMS = 2000, MOST = 200, REGIONS = 6, CAPACITY = 1 << 15 };

struct model {
    struct random_sequence random;
    struct ctf_form form;
    unsigned char bytes[CAPACITY];
    size_t size, count, others;
    struct zpl_event events[MOST];
    uint64_t time_ns;
    struct ctf_reader reader;
    char text[CTF_METADATA_CAPACITY + ZEPHYR_METADATA_CAPACITY];
    struct ctf_metadata_facts facts;
};

static struct zpl_event event_of(struct model *model, unsigned region)
{
    uint32_t used = random_below(&model->random, 1000);

    return (struct zpl_event){
        .time_ns = model->time_ns,
        .memory_region = (uint8_t)(region < 3 ? ZPL_STACK : region - 2),
        .memory_addr = 0x20000000 + region * 0x400,
        .used = used,
        .unused = 1000 + region - used,
        .for_thread_id = region < 3 ? 0x20001000 + region * 0x40 : 0,
    };
}

static void put_head(struct model *model, uint64_t id, size_t bytes)
{
    const struct ctf_form *form = &model->form;
    unsigned char *out = model->bytes + model->size;

    memset(out, 0, bytes);
    if (form->bits.bytes > 0)
        put_word_le(out + form->bits.at, bytes * 8, 2);
    put_word_le(out + form->time.at, model->time_ns, form->time.bytes);
    put_word_le(out + form->id.at, id, form->id.bytes);
    model->size += bytes;
    model->time_ns += random_below(&model->random, 20) == 0
                          ? random_below(&model->random, 3000000000u)
                          : random_below(&model->random, 2000000);
}

static void put_memory(struct model *model, unsigned region)
{
    const struct ctf_form *form = &model->form;
    unsigned char *out = model->bytes + model->size;
    struct zpl_event event = event_of(model, region);
    const uint64_t values[] = { event.memory_region, event.memory_addr,
                                event.used, event.unused, event.for_thread_id };

    put_head(model, form->memory_id, form->memory_bytes);
    for (unsigned i = 0; i < CTF_MEMORY_FIELDS; i++)
        put_word_le(out + form->fields[i].at, values[i], form->fields[i].bytes);
    model->events[model->count++] = event;
}

static void put_other(struct model *model)
{
    static const unsigned char kinds[][2] = {
        { 0x10, 24 }, { 0x11, 24 }, { 0x1b, 0 }, { 0x1c, 0 }, { 0x1e, 0 },
        { 0x24, 8 },  { 0x26, 12 }, { 0x1f, 4 }, { 0x20, 4 },
    };
    const unsigned char *kind =
        kinds[random_below(&model->random, sizeof kinds / sizeof kinds[0])];
    unsigned char *out = model->bytes + model->size + model->form.head_bytes;

    put_head(model, kind[0], model->form.head_bytes + kind[1]);
    if (kind[1] >= 4)
        put_word_le(out, 0x20001040, 4);
    if (kind[1] == 24)
        memcpy(out + 4, "worker", 6);
    model->others++;
}

/* Write a stream: rounds of all regions, other events between them. */
static void make(struct model *model, unsigned seed)
{
    unsigned version = 1 + random_below(&model->random, 3), rounds;
    bool has_others = random_below(&model->random, 3) > 0;

    model->form = ctf_form_of(version);
    while (!ctf_form_set_shape(&model->form,
                               random_below(&model->random, CTF_SHAPES)))
        continue;
    model->time_ns = random_next(&model->random) >> 34;
    rounds = 5 + random_below(&model->random, 20);
    for (unsigned i = 0; i < rounds; i++) {
        for (unsigned k = 0; has_others && k < seed % 9; k++)
            put_other(model);
        for (unsigned region = 0; region < REGIONS; region++)
            put_memory(model, region);
    }
}

/* Lose or add some bytes. */
static void damage(struct model *model)
{
    size_t length = 1 + random_below(&model->random, 40);
    size_t at = random_below(&model->random, (unsigned)(model->size - length));
    unsigned char *bytes = model->bytes + at;

    if (random_below(&model->random, 2) == 0) {
        memmove(bytes, bytes + length, model->size - at - length);
        model->size -= length;
    } else {
        memmove(bytes + length, bytes, model->size - at);
        for (size_t i = 0; i < length; i++)
            bytes[i] = (unsigned char)random_next(&model->random);
        model->size += length;
    }
}

static const struct ctf_metadata_facts *describe(struct model *model)
{
    const struct ctf_surroundings surroundings = { .shape = model->form.shape };
    size_t size = ctf_metadata_write(model->text, CTF_METADATA_CAPACITY,
                                     &model->form.layout, &surroundings);

    size += zephyr_metadata_write(model->text + size, ZEPHYR_METADATA_CAPACITY,
                                  &model->form.layout);
    assert_true(ctf_metadata_read(model->text, size, &model->facts));
    return &model->facts;
}

static bool is_written(const struct model *model, const struct zpl_event *event)
{
    for (size_t i = 0; i < model->count; i++) {
        if (model->events[i].memory_addr == event->memory_addr &&
            model->events[i].memory_region == event->memory_region)
            return true;
    }
    return false;
}

/* Return 1 if a region is invented. */
static size_t check(struct model *model, unsigned seed, bool is_damaged,
                    const struct ctf_metadata_facts *facts)
{
    struct ctf_reader *reader = &model->reader;
    struct zpl_event event;
    size_t count = 0, invented = 0;

    ctf_reader_open(reader, facts);
    assert_int_equal(byte_stream_feed(&reader->in, model->bytes, model->size),
                     model->size);
    byte_stream_end(&reader->in);
    for (; ctf_reader_next(reader, &event); count++) {
        const struct zpl_event *expected = &model->events[count];

        if (!is_written(model, &event)) {
            if (!is_damaged)
                fail_msg("stream %u: a region is invented", seed);
            invented = 1;
        }
        if (!is_damaged &&
            (event.memory_addr != expected->memory_addr ||
             event.used != expected->used || event.unused != expected->unused))
            fail_msg("stream %u: event %zu differs", seed, count);
    }
    if (is_damaged)
        return invented;
    if (count != model->count || reader->other_events != model->others)
        fail_msg("stream %u: %zu of %zu events", seed, count, model->count);
    assert_int_equal(reader->in.skipped.bytes + reader->cut_events, 0);
    return 0;
}

/* Lost or added bytes may leave events of the right size with the fields of
   another. They cannot be told from intact ones: two streams of a hundred. */
static void all_forms_are_read(void **state)
{
    size_t invented = 0;
    struct model *model = malloc(sizeof *model);

    (void)state;
    assert_non_null(model);
    for (unsigned seed = 0; seed < STREAMS; seed++) {
        bool is_damaged = seed % 2 > 0;

        memset(model, 0, offsetof(struct model, reader));
        model->random = (struct random_sequence){ seed * 7919 };
        for (unsigned i = 0; i < 8; i++)
            random_next(&model->random);
        make(model, seed);
        if (is_damaged)
            damage(model);
        invented += check(model, seed, is_damaged,
                          seed % 4 < 2 ? NULL : describe(model));
    }
    free(model);
    assert_in_range(invented, 0, STREAMS / 2 / 50);
}

/* Memory events of an unknown size: no event, and the reader says why. */
static void an_unknown_form_is_refused(void **state)
{
    struct model *model = calloc(1, sizeof *model);
    struct zpl_event event;

    (void)state;
    assert_non_null(model);
    for (unsigned seed = 0; seed < 200; seed++) {
        model->size = model->count = model->others = 0;
        model->random = (struct random_sequence){ seed * 7919 };
        model->form = ctf_form_of(1);
        ctf_form_set_shape(&model->form, 0);
        model->form.memory_bytes = (uint16_t)(30 + seed % 2 * 3);
        for (unsigned i = 0; i < MOST / 2; i++) {
            put_other(model);
            put_memory(model, i % REGIONS);
        }
        ctf_reader_open(&model->reader, NULL);
        byte_stream_feed(&model->reader.in, model->bytes, model->size);
        byte_stream_end(&model->reader.in);
        if (ctf_reader_next(&model->reader, &event))
            fail_msg("stream %u: an event is invented", seed);
        assert_true(model->reader.is_unknown_shape);
    }
    free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_forms_are_read),
        cmocka_unit_test(an_unknown_form_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
