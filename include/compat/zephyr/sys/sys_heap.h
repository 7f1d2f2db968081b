/* SPDX-License-Identifier: Apache-2.0 */
/* sys_heap.h - where Zephyr has what tally/sys_heap.h declares */
#ifndef TALLY_COMPAT_ZEPHYR_SYS_SYS_HEAP_H
#define TALLY_COMPAT_ZEPHYR_SYS_SYS_HEAP_H

#include "tally/sys_heap.h"

#endif /* TALLY_COMPAT_ZEPHYR_SYS_SYS_HEAP_H */
