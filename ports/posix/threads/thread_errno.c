/* SPDX-License-Identifier: Apache-2.0 */
/* thread_errno.c - errno, for core, which is freestanding */
#include <errno.h>

#include "tally/port.h"

int *tally_port_errno(void)
{
    return &errno;
}
