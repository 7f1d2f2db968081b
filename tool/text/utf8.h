/* SPDX-License-Identifier: Apache-2.0 */
/*
 * utf8.h - characters out of bytes that may be anything
 */
#ifndef TALLY_TOOL_TEXT_UTF8_H
#define TALLY_TOOL_TEXT_UTF8_H

#include <stddef.h>

/*
 * Length in bytes of the valid UTF-8 character that NUL-terminated `text`
 * begins with, 0 if what it begins with is none.
 */
size_t utf8_length(const char *text);

#endif /* TALLY_TOOL_TEXT_UTF8_H */
