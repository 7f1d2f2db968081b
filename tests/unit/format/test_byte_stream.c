/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_byte_stream.c - any bytes, fed in any pieces, compared with a model that
 * has them all at once
 *
 * The reader of the test takes lines: those that begin with 'r' are read, with
 * 's' skipped, and all others are skipped as separate pieces.
 */
#include "format/byte_stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/fakes/random_sequence.h"

enum { INPUT = 400, LARGEST = 24, ROUNDS = 3000 };

struct model {
    size_t at, end, capacity;
    struct skips skips;
};

static size_t model_line(const struct model *model, const unsigned char *input)
{
    size_t size = 0;

    while (model->at + size < model->end && size < model->capacity) {
        if (input[model->at + size++] == '\n')
            break;
    }
    return size;
}

static void model_skip(struct model *model, size_t size, bool may_join)
{
    struct skips *skips = &model->skips;

    if (!may_join || skips->places == 0 || skips->end != model->at) {
        skips->first = skips->places == 0 ? model->at : skips->first;
        skips->places++;
    }
    skips->bytes += size;
    skips->end = model->at + size;
}

static void read_line(struct byte_stream *stream, size_t size,
                      unsigned char first)
{
    if (first == 'r')
        byte_stream_pass(stream, size);
    else
        byte_stream_skip(stream, size, first == 's');
}

static void assert_same(const struct byte_stream *stream,
                        const struct model *model)
{
    assert_int_equal(stream->offset, model->at);
    assert_memory_equal(&stream->skipped, &model->skips, sizeof model->skips);
}

static void read_lines(struct byte_stream *stream, struct model *model,
                       const unsigned char *input)
{
    size_t size;

    while ((size = byte_stream_line(stream)) > 0) {
        unsigned char first = input[model->at];

        assert_int_equal(size, model_line(model, input));
        assert_memory_equal(byte_stream_front(stream), input + model->at, size);
        read_line(stream, size, first);
        if (first != 'r')
            model_skip(model, size, first == 's');
        model->at += size;
        assert_same(stream, model);
    }
}

static void read_all(struct random_sequence *random, size_t size)
{
    static const char letters[] = { 'r', 's', 'p', '\n', 0 };
    unsigned char input[INPUT], buffer[LARGEST];
    struct model model = { .end = size,
                           .capacity = 1 + random_below(random, LARGEST) };
    struct byte_stream stream;

    for (size_t i = 0; i < size; i++)
        input[i] = (unsigned char)letters[random_below(random, sizeof letters)];
    byte_stream_open(&stream, buffer, model.capacity);
    for (size_t fed = 0; fed < size;) {
        size_t piece = random_below(random, LARGEST) + 1;
        size_t taken = byte_stream_feed(
            &stream, input + fed, piece < size - fed ? piece : size - fed);

        assert_true(taken > 0);
        fed += taken;
        assert_int_equal(stream.offset + byte_stream_left(&stream), fed);
        assert_int_equal(byte_stream_feed(&stream, input + fed, 0), 0);
        read_lines(&stream, &model, input);
    }
    byte_stream_end(&stream);
    read_lines(&stream, &model, input);
    assert_int_equal(model.at, size);
    assert_int_equal(byte_stream_left(&stream), 0);
}

static void yields_and_counts_the_same_however_bytes_are_cut(void **state)
{
    struct random_sequence random = { 17 };

    (void)state;
    for (unsigned i = 0; i < ROUNDS; i++)
        read_all(&random, random_below(&random, INPUT + 1));
}

/* Two equivalent ways: zeros that are fed and skipped, and zeros that are not
   fed. */
static void zeros_need_not_be_fed(void **state)
{
    unsigned char zeros[LARGEST] = { 0 }, buffers[2][LARGEST];
    struct byte_stream fed, told;

    (void)state;
    byte_stream_open(&fed, buffers[0], LARGEST);
    byte_stream_open(&told, buffers[1], LARGEST);
    byte_stream_feed(&fed, "ab", 2);
    byte_stream_feed(&told, "ab", 2);
    assert_false(byte_stream_is_zero(&told));
    byte_stream_pass(&fed, 1);
    byte_stream_pass(&told, 1);
    byte_stream_skip(&fed, 1, true);
    byte_stream_skip(&told, 1, true);
    byte_stream_feed(&fed, zeros, 9);
    byte_stream_feed(&told, zeros, 4);
    assert_true(byte_stream_is_zero(&told));
    byte_stream_skip_zeros(&told, 5);
    assert_int_equal(byte_stream_left(&told), 4);
    byte_stream_skip(&fed, 9, true);
    byte_stream_skip(&told, 4, true);
    assert_int_equal(told.offset, fed.offset);
    assert_memory_equal(&told.skipped, &fed.skipped, sizeof fed.skipped);
}

static void skips_of_parts_are_added(void **state)
{
    struct skips sum = { 0 };
    const struct skips part = { 5, 2, 3, 9 };

    (void)state;
    skips_merge(&sum, &part, 100);
    assert_int_equal(sum.first, 103);
    skips_merge(&sum, &part, 200);
    assert_int_equal(sum.first, 103);
    assert_int_equal(sum.bytes, 10);
    assert_int_equal(sum.places, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(yields_and_counts_the_same_however_bytes_are_cut),
        cmocka_unit_test(zeros_need_not_be_fed),
        cmocka_unit_test(skips_of_parts_are_added),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
