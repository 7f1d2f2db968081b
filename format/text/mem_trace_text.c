/* SPDX-License-Identifier: Apache-2.0 */
/* mem_trace_text.c - one call of an allocation function as one line of text */
#include "format/text/mem_trace_text.h"

const char mem_trace_forms[8][4] = {
    [MEM_TRACE_MALLOC] = "ms",  [MEM_TRACE_REALLOC] = "rps",
    [MEM_TRACE_CALLOC] = "cns", [MEM_TRACE_FREE] = "fp",
    [MEM_TRACE_FRAME] = "sn",
};

static const char *form_of(uint8_t op)
{
    return op < sizeof mem_trace_forms / sizeof mem_trace_forms[0]
               ? mem_trace_forms[op]
               : "";
}

size_t mem_trace_text_write_words(char line[MEM_TRACE_TEXT_MAX], uint8_t op,
                                  const text_word words[4])
{
    const char *form = form_of(op);
    char *out = line;

    *out++ = *form == '\0' ? '?' : '#';
    if (*form != '\0')
        *out++ = *form;
    for (unsigned i = 0; *form != '\0' && (i < 2 || form[i - 1] != '\0'); i++) {
        bool is_address = i < 2 || form[i - 1] == 'p';

        *out++ = ":;-;"[i];
        if (is_address) {
            *out++ = '0';
            *out++ = 'x';
        }
        out = text_put_digits(out, words[i], is_address ? 16 : 10);
    }
    *out++ = '\n';
    return (size_t)(out - line);
}

size_t mem_trace_text_write(char line[MEM_TRACE_TEXT_MAX],
                            const struct mem_trace_event *event)
{
    const char *form = form_of(event->op);
    text_word words[4] = { (text_word)event->result, (text_word)event->caller };

    if (event->op == MEM_TRACE_PROMOTE)
        return 0; /* the text has no form for it */
    for (unsigned i = 1; *form != '\0' && form[i] != '\0'; i++)
        words[1 + i] = (text_word)(form[i] == 'p'   ? event->pointer
                                   : form[i] == 'n' ? event->count
                                                    : event->size);
    return mem_trace_text_write_words(line, event->op, words);
}
