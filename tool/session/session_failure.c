/* SPDX-License-Identifier: Apache-2.0 */
/* session_failure.c - one line about a failure; see session.h */
#include "tool/session/session.h"

#include <stdarg.h>

#include "format/text_after.h"
#include "tool/text/text.h"

const char *session_command = "record";

/* Escape names from outside: they must not break the line or the terminal. */
int session_fail(struct session_failure *failure, const char *format, ...)
{
    const char *rest = text_after(format, "record: ");
    int length = rest == NULL ? 0
                              : snprintf(failure->text, sizeof failure->text,
                                         "%s: ", session_command);
    va_list arguments;

    failure->status = 0;
    va_start(arguments, format);
    vsnprintf(failure->text + length, sizeof failure->text - (size_t)length,
              rest == NULL ? format : rest, arguments);
    va_end(arguments);
    escape_here(ESCAPE_TERMINAL, failure->text);
    return -1;
}
