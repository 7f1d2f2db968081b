/* SPDX-License-Identifier: Apache-2.0 */
/* fault.c - see fault.h */
#include "core/base/fault.h"

#include <stddef.h>

#include "core/base/console_line.h"
#include "tally/port.h"

void fault_tell(const char *kind, const char *name, const char *sentence)
{
    struct console_line line = console_line(kind);

    console_line_add(&line, " ");
    console_line_add(&line, name == NULL ? "without a name" : name);
    console_line_add(&line, ": ");
    console_line_add(&line, sentence);
    console_line_say(&line);
    tally_port_abort();
}
