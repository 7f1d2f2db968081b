/* SPDX-License-Identifier: Apache-2.0 */
/* sys_heap.h - tally/sys_heap.h under its Zephyr path */
#include "tally/sys_heap.h"
