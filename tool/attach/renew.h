/* SPDX-License-Identifier: Apache-2.0 */
/*
 * renew.h - the recorder in a process as if it had just been loaded
 *
 * Make the recorder of a process new that was attached to before. Its threads
 * are stopped meanwhile.
 */
#pragma once

#include "tool/attach/remote_call.h"

/* Adds to `*stopped_ns` as jumps_write() does. -1: it was recorded in a way
   that has no end, or a thread is in the recorder all the time. */
int renew(struct remote *remote, uint64_t image, int limit_ms,
          uint64_t *stopped_ns);
