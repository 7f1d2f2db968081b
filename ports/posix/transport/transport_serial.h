/* SPDX-License-Identifier: Apache-2.0 */
/* transport_serial.h - a serial device, or a pty, that passes bytes as they are */
#ifndef TALLY_PORTS_POSIX_TRANSPORT_SERIAL_H
#define TALLY_PORTS_POSIX_TRANSPORT_SERIAL_H

/* DEVICE, or DEVICE:BAUD. A descriptor that does not block, or a negative errno:
   -EINVAL for a speed that the system has not. */
int transport_serial_open(const char *place);

#endif /* TALLY_PORTS_POSIX_TRANSPORT_SERIAL_H */
