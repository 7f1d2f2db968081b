/* SPDX-License-Identifier: Apache-2.0 */
/* program.h - part of tally/port.h: the program and its environment */
#ifndef TALLY_PORT_PROGRAM_H
#define TALLY_PORT_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the environment has under `name`, or NULL: it has nothing, there is
   none, or the program has more privileges than its user. Asked once. */
const char *tally_port_environment(const char *name);

/* Hosts only. The calling thread's errno. */
int *tally_port_errno(void);

/* End the program because of its own fault: abort(), or what stands for it. */
void tally_port_abort(void) __attribute__((noreturn));

/*
 * The name of the shared object that the address lies in, without folder and
 * ".so" and what follows, cut to `capacity` bytes with its NUL. Returns false
 * for an address of the program itself.
 */
bool tally_port_module_name(const void *address, char *name, size_t capacity);

/* How many shared objects were unloaded so far. */
uint64_t tally_port_unloads(void);

#endif /* TALLY_PORT_PROGRAM_H */
