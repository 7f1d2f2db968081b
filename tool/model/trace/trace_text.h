/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_text.h - an event of a trace as the line that a device prints
 */
#ifndef TALLY_TOOL_MODEL_TRACE_TEXT_H
#define TALLY_TOOL_MODEL_TRACE_TEXT_H

#include <stddef.h>

#include "format/text/mem_trace_text.h"
#include "format/text/zpl_text.h"
#include "tool/model/trace/trace_event.h"

enum { TRACE_TEXT_LONGEST = ZPL_TEXT_LONGEST };

_Static_assert((int)MEM_TRACE_TEXT_MAX <= (int)TRACE_TEXT_LONGEST,
               "either line fits");

/* Write the line with its newline, without a NUL, and return its length. */
static inline size_t trace_text_write(char out[TRACE_TEXT_LONGEST],
                                      const struct trace_event *event)
{
    return event->kind == TRACE_EVENT_CALL
               ? mem_trace_text_write(out, &event->call)
               : zpl_text_write(out, &event->region);
}

#endif /* TALLY_TOOL_MODEL_TRACE_TEXT_H */
