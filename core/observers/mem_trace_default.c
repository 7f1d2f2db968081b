/* SPDX-License-Identifier: Apache-2.0 */
/* mem_trace_default.c - callback that writes each event as a line of text */
#include <stdarg.h>

#include "core/observers/mem_trace.h"
#include "format/invariant.h"
#include "format/text/mem_trace_text.h"
#include "tally/port.h"

/* The numbers in a trace are those of the callback. */
STATIC_ASSERT(MBED_MEM_TRACE_MALLOC == (int)MEM_TRACE_MALLOC &&
              MBED_MEM_TRACE_REALLOC == (int)MEM_TRACE_REALLOC &&
              MBED_MEM_TRACE_CALLOC == (int)MEM_TRACE_CALLOC &&
              MBED_MEM_TRACE_FREE == (int)MEM_TRACE_FREE);

void tally_mem_trace_set_descriptor(int descriptor)
{
    __atomic_store_n(&mem_trace()->descriptor, descriptor, __ATOMIC_RELAXED);
}

void mbed_mem_trace_default_callback(uint8_t op, void *res, void *caller, ...)
{
    text_word words[4] = { (uintptr_t)res, (uintptr_t)caller };
    char line[MEM_TRACE_TEXT_MAX];
    va_list given;

    if (op > MEM_TRACE_OP_COUNT)
        op = MEM_TRACE_OP_COUNT; /* no letter, no arguments */
    va_start(given, caller);
    for (unsigned i = 2;; i++) {
        char kind = mem_trace_forms[op][i - 1];

        if (kind == '\0')
            break;
        words[i] = kind == 'p' ? (uintptr_t)va_arg(given, void *)
                               : va_arg(given, size_t);
    }
    va_end(given);
    (void)tally_port_write(
        __atomic_load_n(&mem_trace()->descriptor, __ATOMIC_RELAXED), line,
        mem_trace_text_write_words(line, op, words));
}
