/* SPDX-License-Identifier: Apache-2.0 */
/*
 * script_text.h - text that may be anything, as a string in a script
 */
#ifndef TALLY_TOOL_TEXT_SCRIPT_TEXT_H
#define TALLY_TOOL_TEXT_SCRIPT_TEXT_H

#include <stdio.h>

/*
 * With its quotes, as JSON has it; but all that is not ASCII, and '<', '>' and
 * '&', are escaped, so that nothing ends the script or the document around it.
 * What is not UTF-8 becomes U+FFFD.
 */
void script_text_write(FILE *out, const char *text);

#endif /* TALLY_TOOL_TEXT_SCRIPT_TEXT_H */
