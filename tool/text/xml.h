/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xml.h - text that may be anything, in a document of XML
 */
#ifndef TALLY_TOOL_TEXT_XML_H
#define TALLY_TOOL_TEXT_XML_H

#include <stddef.h>
#include <stdio.h>

/* At most `limit` characters of it; what XML cannot hold becomes '?'. */
void xml_write(FILE *out, const char *text, size_t limit);

#endif /* TALLY_TOOL_TEXT_XML_H */
