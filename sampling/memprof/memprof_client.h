/* SPDX-License-Identifier: Apache-2.0 */
/* memprof_client.h - where samples come from: malloc, files, the program */
#ifndef TALLY_CORE_MEMPROF_CLIENT_H
#define TALLY_CORE_MEMPROF_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tracked;

/* What the countdown asks. */
extern __attribute__((visibility("hidden")))
const struct countdown_client memprof_client;

/* What tally/memprof.h says of custom memory and of marshal scopes. */
uint64_t memprof_begin_custom(size_t bytes);
void memprof_end_custom(uint64_t token);
void memprof_begin_scope(void);
void memprof_end_scope(void);
void memprof_add_to_scope(void *object, size_t bytes);

/* Run what waits for the calling thread's memprof_marshal_end(). */
void memprof_flush_scope(void);

/* A file was mapped; those that begin in a range, on one of its pages, are no
   more. */
bool memprof_mapped(void *map, size_t bytes, const void *origin);
void memprof_unmapped(void *at, size_t bytes, size_t page);

/* One is about to move, and has; `map` is where it was if it has not. NULL:
   none. */
struct tracked *memprof_lift_map(void *map);
void memprof_put_down_map(struct tracked *lifted, void *map);

/* Whether any file is mapped that was sampled. */
bool memprof_has_maps(void);

#endif /* TALLY_CORE_MEMPROF_CLIENT_H */
