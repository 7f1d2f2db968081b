/* SPDX-License-Identifier: Apache-2.0 */
/*
 * caller_names.h - the functions that callers in a trace lie in, by the million
 *
 * Each caller is looked up once; memory follows how many there are.
 */
#ifndef TALLY_TOOL_MODEL_CALLER_NAMES_H
#define TALLY_TOOL_MODEL_CALLER_NAMES_H

#include "tool/model/trace/caller_modules.h"

struct caller_names;

/* NULL without memory. The modules must stay. */
struct caller_names *caller_names_open(const struct caller_modules *modules);
void caller_names_close(struct caller_names *names);

/* The function's name, any bytes; NULL where it is not known. It stays. */
const char *caller_names_find(struct caller_names *names, uint64_t caller);

#endif /* TALLY_TOOL_MODEL_CALLER_NAMES_H */
