/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forked.h - the processes that an attached one has forked, as the kernel knows
 * them
 *
 * They have its jumps. What the session's file says of them is not asked: a
 * process of another user could have written it.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/* Processes that share the session, and are not touched. */
struct forked_others {
    pid_t first; /* 0: there is none */
    uint32_t count;
};

/*
 * Call `see` with each process that maps the session's file, descends from
 * `pid`, and has its user, groups and capabilities.
 */
void forked_each(pid_t pid, int session,
                 void (*see)(pid_t child, void *context), void *context,
                 struct forked_others *others);
