/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem_trace_text.h - one call of an allocation function as one line of text
 *
 *     #m:0x20003240;0x600d-50                     malloc: size
 *     #r:0x20003300;0x6011-0x20003240;80          realloc: old block, size
 *     #c:0x20003400;0x6021-25;10                  calloc: count, size of each
 *     #f:0x0;0x602f-0x20003240                    free: block
 *
 * Where tally record samples, "#sampled:524288" comes first, how many bytes lie
 * between samples, and before an allocation the frames that called its caller,
 * outermost first, each with how many are left:
 *
 *     #s:0x0;0x6051-1
 *
 * The result, where it was called, and behind the dash what it was given. Tools
 * for Mbed OS want just this: lower-case addresses behind 0x, 0x0 for NULL,
 * decimal sizes, one newline. format/text/mem_trace_reader.h reads it.
 */
#ifndef TALLY_FORMAT_MEM_TRACE_TEXT_H
#define TALLY_FORMAT_MEM_TRACE_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "format/text/mem_trace_event.h"

enum { MEM_TRACE_TEXT_MAX = 88 }; /* bytes of a line, at most */

/*
 * Write the line with its newline, without a NUL, and return its length. An op
 * that there is not is "?". Any context.
 */
size_t mem_trace_text_write(char line[MEM_TRACE_TEXT_MAX],
                            const struct mem_trace_event *event);

/* Firmware writes its own addresses and sizes only, and divides no more bits. */
#if __STDC_HOSTED__
typedef uint64_t mem_trace_word;
#else
typedef uintptr_t mem_trace_word;
#endif

/* The same of numbers in the order of the line: result, caller, and what follows. */
size_t mem_trace_text_write_words(char line[MEM_TRACE_TEXT_MAX], uint8_t op,
                                  const mem_trace_word words[4]);

#endif /* TALLY_FORMAT_MEM_TRACE_TEXT_H */
