/* SPDX-License-Identifier: Apache-2.0 */
/* board.c - output by the debugger, memory of malloc, and shared checks */
#include "board.h"

#include <string.h>

#include "suite_board.h"
#include "tally/alloc_tag.h"
#include "tally/bare_metal.h"
#include "tally/tagged.h"
#include "tally/zpl.h"

static int failures;

void tally_board_write(const void *bytes, size_t size)
{
    char line[160];

    if (size >= sizeof line)
        suite_board_give_up("a line is too long");
    memcpy(line, bytes, size);
    line[size] = '\0';
    suite_board_print(line);
}

/* picolibc's and newlib's. */
void *sbrk(ptrdiff_t more);
void *_sbrk(ptrdiff_t more);

void *sbrk(ptrdiff_t more)
{
    static _Alignas(16) char memory[16384];
    static ptrdiff_t used;
    char *start = memory + used;

    if (more > (ptrdiff_t)sizeof memory - used)
        return (void *)-1;
    used += more;
    return start;
}

void *_sbrk(ptrdiff_t more)
{
    return sbrk(more);
}

void board_check(const char *what, bool holds)
{
    if (holds)
        return;
    suite_board_print("NOT SO: ");
    suite_board_print(what);
    suite_board_print("\n");
    failures++;
}

int board_status(void)
{
    return failures != 0;
}

void board_send_regions(void)
{
    static uint8_t buffer[128];
    const struct tally_zpl_stream stream = {
        .sink = tally_board_sink(),
        .buffer = buffer,
        .capacity = sizeof buffer,
        .format = TALLY_ZPL_PLAINTEXT,
    };

    suite_board_print("regions\n");
    board_check("the stream opens", tally_zpl_open(&stream) == 0);
    zpl_memory_profiling_set(true);
    tally_zpl_round();
}

void board_check_tags(void (*run)(unsigned thread))
{
    static struct alloc_tag tags[2] = { { __FILE__, "first", NULL, 1, 0, 0, 0 },
                                        { __FILE__, "second", NULL, 2, 0, 0,
                                          0 } };
    struct alloc_tag *outer[2];

    run(0);
    outer[0] = alloc_tag_save(&tags[0]);
    run(1); /* preempts the first */
    board_check("no tag is in force", tally_current_tag == NULL);
    outer[1] = alloc_tag_save(&tags[1]);
    run(0);
    board_check("the first tag is still in force",
                tally_current_tag == &tags[0]);
    alloc_tag_restore(&tags[0], outer[0]);
    run(1);
    board_check("the second tag is still in force",
                tally_current_tag == &tags[1]);
    alloc_tag_restore(&tags[1], outer[1]);
    board_check("no tag is left", tally_current_tag == NULL);
}
