/* SPDX-License-Identifier: Apache-2.0 */
/* session_failure.c - one line about a failure; see session_failure.h */
#include "tool/session/session_failure.h"

#include <stdarg.h>
#include <stdio.h>

#include "tool/text/escape.h"

/* A name from outside must not break the line or the terminal. */
int session_fail(struct session_failure *failure, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(failure->text, sizeof failure->text, format, arguments);
    va_end(arguments);
    escape_here(ESCAPE_TERMINAL, failure->text);
    return -1;
}
