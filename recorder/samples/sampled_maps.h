/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sampled_maps.h - files that are mapped, for tally/memprof.h
 *
 * A map lives until the page at which it begins is unmapped, or mapped anew. What
 * mremap moves stays what it was.
 */
#ifndef TALLY_RECORDER_SAMPLED_MAPS_H
#define TALLY_RECORDER_SAMPLED_MAPS_H

#include <stddef.h>

struct tracked;

/* What the kernel gave; returns it, or MAP_FAILED with ENOMEM. */
void *sampled_map(void *mapped, size_t size, int flags);

/* A range is about to be unmapped. */
void sampled_unmap(void *at, size_t size);

/* One is about to be moved, and where it is then; NULL: it was not sampled. */
struct tracked *sampled_lift(void *map);
void sampled_put_down(struct tracked *lifted, void *map);

#endif /* TALLY_RECORDER_SAMPLED_MAPS_H */
