/* SPDX-License-Identifier: Apache-2.0 */
/*
 * static_memory.h - what a program's variables take that are no regions
 */
#ifndef TALLY_TOOL_MODEL_STATIC_MEMORY_H
#define TALLY_TOOL_MODEL_STATIC_MEMORY_H

#include "tool/model/trace/regions.h"
#include "tool/model/trace/trace_names.h"

/*
 * Bytes of the sections that the program writes to, without the regions that lie
 * in them; 0 without its ELF file. What malloc shares out in Zephyr is all that
 * is left of the memory, and in no section.
 */
uint64_t static_memory(const struct trace_names *names,
                       const struct regions *regions);

#endif /* TALLY_TOOL_MODEL_STATIC_MEMORY_H */
