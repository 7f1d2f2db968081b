/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote_call.h - a function of a program that runs, called by one of its own
 * threads
 *
 *     struct remote remote;
 *     uint64_t stack, handle;
 *
 *     remote_open(&remote, &tracee);
 *     remote_map(&remote, size, &stack);
 *     remote_call(&remote, &(struct remote_function){ .address = dlopen,
 *                 .stack = stack + size }, arguments, &handle);
 *
 * The thread is one that stands where that is safe (safe_place.h), and then
 * goes on as before: registers, signal mask, alternate stack, errno and the
 * system call that it was in. All others run on. If we are killed at any
 * instant, the thread comes back by itself (remote_frame.h).
 */
#pragma once

#include <stdint.h>

#include "tool/attach/remote_frame.h"
#include "tool/attach/safe_place.h"
#include "tool/attach/tracee.h"

enum { REMOTE_LIMIT_MS = 2000 };

struct remote {
    struct tracee *tracee;
    struct safe_place *place;
    struct remote_code code;
    int limit_ms; /* for finding a thread, and for each call */
};

struct remote_function {
    uint64_t address;
    uint64_t number; /* of the system call, where the address is of one */
    uint64_t stack;  /* above the highest byte of its stack; 0: the thread's */
};

/* Keeps `tracee`, of which no thread may be traced. */
int remote_open(struct remote *remote, struct tracee *tracee);
void remote_close(struct remote *remote);

/* Call the function with six arguments. Return -1 also if it did not return in
   time: it may still return, so its stack stays in use. */
int remote_call(struct remote *remote, const struct remote_function *function,
                const uint64_t arguments[6], uint64_t *result);

/* Map `size` writable zero bytes in the program, for good. */
int remote_map(struct remote *remote, uint64_t size, uint64_t *address);
