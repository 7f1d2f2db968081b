/* SPDX-License-Identifier: Apache-2.0 */
/* output.h - part of tally/port.h: output */
#ifndef TALLY_PORT_OUTPUT_H
#define TALLY_PORT_OUTPUT_H

#include <stddef.h>

/* Write all bytes to a descriptor. Return 0 or a negative errno of the
   platform. */
int tally_port_write(int descriptor, const void *bytes, size_t size);

/* Print a line, newline included, for the user: to standard error, or nowhere
   if there is no such place. */
void tally_port_console(const char *line, size_t size);

#endif /* TALLY_PORT_OUTPUT_H */
