/* SPDX-License-Identifier: Apache-2.0 */
/* mem_trace_text.c - one call of an allocation function as one line of text */
#include "format/text/mem_trace_text.h"

#include <stdbool.h>

/* In hexadecimal it is an address. */
static char *put_word(char *out, mem_trace_word word, bool is_address)
{
    char digits[20];
    size_t count = 0;

    if (is_address) {
        *out++ = '0';
        *out++ = 'x';
    }
    do {
        unsigned digit = (unsigned)(is_address ? word & 15 : word % 10);

        digits[count++] = (char)(digit + (digit < 10 ? '0' : 'a' - 10));
        word = is_address ? word >> 4 : word / 10;
    } while (word > 0);
    while (count > 0)
        *out++ = digits[--count];
    return out;
}

size_t mem_trace_text_write_words(char line[MEM_TRACE_TEXT_MAX], uint8_t op,
                                  const mem_trace_word words[4])
{
    bool has_block = op == MEM_TRACE_REALLOC || op == MEM_TRACE_FREE;
    bool is_frame = op == MEM_TRACE_FRAME;
    bool has_two = op == MEM_TRACE_REALLOC || op == MEM_TRACE_CALLOC;
    char *out = line;

    if (op >= MEM_TRACE_OP_COUNT && !is_frame) {
        *out++ = '?';
    } else {
        *out++ = '#';
        *out++ = "mrcf???s"[op];
        for (unsigned i = 0; i < 3 + (unsigned)has_two; i++) {
            *out++ = ":;-;"[i];
            out = put_word(out, words[i], i < 2 + (unsigned)has_block);
        }
    }
    *out++ = '\n';
    return (size_t)(out - line);
}

size_t mem_trace_text_write(char line[MEM_TRACE_TEXT_MAX],
                            const struct mem_trace_event *event)
{
    const mem_trace_word size = (mem_trace_word)event->size;
    mem_trace_word words[4] = {
        (mem_trace_word)event->result,
        (mem_trace_word)event->caller,
        size,
        size,
    };

    if (event->op == MEM_TRACE_PROMOTE)
        return 0; /* the text has no word for it */
    if (event->op == MEM_TRACE_CALLOC || event->op == MEM_TRACE_FRAME)
        words[2] = (mem_trace_word)event->count;
    else if (event->op != MEM_TRACE_MALLOC)
        words[2] = (mem_trace_word)event->pointer;
    return mem_trace_text_write_words(line, event->op, words);
}
