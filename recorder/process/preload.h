/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preload.h - our entry in an environment's LD_PRELOAD
 *
 * Used between fork and exec: nothing here allocates.
 */
#ifndef TALLY_RECORDER_PRELOAD_H
#define TALLY_RECORDER_PRELOAD_H

#include <stdbool.h>
#include <stddef.h>

/* Whether LD_PRELOAD names this library. */
bool preload_is_ours(char *const environment[]);

/* Whether LD_PRELOAD names a sanitizer's runtime library, too. */
bool preload_has_runtime(char *const environment[]);

/* Whether the library can be opened from here, by the name it has there. */
bool preload_is_there(void);

/*
 * The same environment without our entry, in `room`, which the caller provides
 * with preload_strip_room() bytes. Strings that do not change are shared.
 */
size_t preload_strip_room(char *const environment[]);
char **preload_strip(char *const environment[], void *room);

#endif /* TALLY_RECORDER_PRELOAD_H */
