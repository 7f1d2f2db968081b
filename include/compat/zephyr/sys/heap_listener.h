/* SPDX-License-Identifier: Apache-2.0 */
/* heap_listener.h - where Zephyr has what tally/heap_listener.h declares */
#ifndef TALLY_COMPAT_ZEPHYR_SYS_HEAP_LISTENER_H
#define TALLY_COMPAT_ZEPHYR_SYS_HEAP_LISTENER_H

#include "tally/heap_listener.h"

#endif /* TALLY_COMPAT_ZEPHYR_SYS_HEAP_LISTENER_H */
