/* SPDX-License-Identifier: Apache-2.0 */
/* program.h - part of tally/port.h: the program and its environment */
#ifndef TALLY_PORT_PROGRAM_H
#define TALLY_PORT_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Return the environment variable `name`, or NULL if it is not set, there is no
   environment, or the program has more privileges than its user. Asked once. */
const char *tally_port_environment(const char *name);

/* Hosts only. Return the calling thread's errno. */
int *tally_port_errno(void);

/* End the program because of its own fault, by abort() or its equivalent. */
void tally_port_abort(void) __attribute__((noreturn));

/*
 * Store the name of the shared object that contains the address, without
 * folder, ".so" and version, truncated to `capacity` bytes with NUL. Return
 * false for an address in the program itself.
 */
bool tally_port_module_name(const void *address, char *name, size_t capacity);

/* Return the number of shared objects unloaded so far. */
uint64_t tally_port_unloads(void);

#endif /* TALLY_PORT_PROGRAM_H */
