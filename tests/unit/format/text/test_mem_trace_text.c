/* SPDX-License-Identifier: Apache-2.0 */
/* test_mem_trace_text.c - the exact line of each op */
#include "format/text/mem_trace_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void assert_line(const struct mem_trace_event *event,
                        const char *expected)
{
    char line[MEM_TRACE_TEXT_MAX + 1];
    size_t length;

    memset(line, '!', sizeof line);
    length = mem_trace_text_write(line, event);
    assert_in_range(length, 1, MEM_TRACE_TEXT_MAX);
    assert_int_equal(line[length], '!');
    line[length] = '\0';
    assert_string_equal(line, expected);
}

static void ops_have_their_forms(void **state)
{
    (void)state;
    assert_line(&(struct mem_trace_event){ .op = MEM_TRACE_MALLOC,
                                           .result = 0x20003240,
                                           .caller = 0x600d,
                                           .size = 50 },
                "#m:0x20003240;0x600d-50\n");
    assert_line(&(struct mem_trace_event){ .op = MEM_TRACE_REALLOC,
                                           .result = 0x20003300,
                                           .caller = 0x6011,
                                           .pointer = 0x20003240,
                                           .size = 80 },
                "#r:0x20003300;0x6011-0x20003240;80\n");
    assert_line(&(struct mem_trace_event){ .op = MEM_TRACE_CALLOC,
                                           .result = 0x20003400,
                                           .caller = 0x6021,
                                           .count = 25,
                                           .size = 10 },
                "#c:0x20003400;0x6021-25;10\n");
    assert_line(&(struct mem_trace_event){ .op = MEM_TRACE_FREE,
                                           .caller = 0x602f,
                                           .pointer = 0x20003240 },
                "#f:0x0;0x602f-0x20003240\n");
    assert_line(&(struct mem_trace_event){ .op = MEM_TRACE_FRAME,
                                           .caller = 0x602f,
                                           .count = 12 },
                "#s:0x0;0x602f-12\n");
}

static void null_is_0x0_everywhere(void **state)
{
    (void)state;
    assert_line(&(struct mem_trace_event){ .op = MEM_TRACE_MALLOC },
                "#m:0x0;0x0-0\n");
    assert_line(&(struct mem_trace_event){ .op = MEM_TRACE_REALLOC },
                "#r:0x0;0x0-0x0;0\n");
    assert_line(&(struct mem_trace_event){ .op = MEM_TRACE_CALLOC },
                "#c:0x0;0x0-0;0\n");
    assert_line(&(struct mem_trace_event){ .op = MEM_TRACE_FREE },
                "#f:0x0;0x0-0x0\n");
}

static void another_op_is_a_question_mark(void **state)
{
    (void)state;
    assert_line(&(struct mem_trace_event){ .op = MEM_TRACE_OP_COUNT,
                                           .result = 1,
                                           .size = 2 },
                "?\n");
    assert_line(&(struct mem_trace_event){ .op = 255 }, "?\n");
}

static void letters_are_small_and_numbers_whole(void **state)
{
    (void)state;
    assert_line(&(struct mem_trace_event){ .op = MEM_TRACE_MALLOC,
                                           .result = 0x7fabcdef0120,
                                           .caller = 0x55d0ffffa00b,
                                           .size = 4294967296 },
                "#m:0x7fabcdef0120;0x55d0ffffa00b-4294967296\n");
    assert_line(&(struct mem_trace_event){ .op = MEM_TRACE_REALLOC,
                                           .result = UINT64_MAX,
                                           .caller = UINT64_MAX,
                                           .pointer = UINT64_MAX,
                                           .size = UINT64_MAX },
                "#r:0xffffffffffffffff;0xffffffffffffffff-0xffffffffffffffff;"
                "18446744073709551615\n");
    assert_line(&(struct mem_trace_event){ .op = MEM_TRACE_CALLOC,
                                           .result = UINT64_MAX,
                                           .caller = UINT64_MAX,
                                           .count = UINT64_MAX,
                                           .size = UINT64_MAX },
                "#c:0xffffffffffffffff;0xffffffffffffffff-"
                "18446744073709551615;18446744073709551615\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ops_have_their_forms),
        cmocka_unit_test(null_is_0x0_everywhere),
        cmocka_unit_test(another_op_is_a_question_mark),
        cmocka_unit_test(letters_are_small_and_numbers_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
