/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_text.h - text that may be anything, as a string of JSON
 */
#ifndef TALLY_TOOL_TEXT_JSON_TEXT_H
#define TALLY_TOOL_TEXT_JSON_TEXT_H

#include <stdio.h>

/* With its quotes; what is not UTF-8 becomes U+FFFD. */
void json_text_write(FILE *out, const char *text);

#endif /* TALLY_TOOL_TEXT_JSON_TEXT_H */
