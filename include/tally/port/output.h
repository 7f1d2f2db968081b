/* SPDX-License-Identifier: Apache-2.0 */
/* output.h - part of tally/port.h: what is written */
#ifndef TALLY_PORT_OUTPUT_H
#define TALLY_PORT_OUTPUT_H

#include <stddef.h>

/* Write all of it to a descriptor. 0, or a negative errno of the platform. */
int tally_port_write(int descriptor, const void *bytes, size_t size);

/* A line, newline included, for the user of the program: standard error, or
   nothing where there is no such place. */
void tally_port_console(const char *line, size_t size);

#endif /* TALLY_PORT_OUTPUT_H */
