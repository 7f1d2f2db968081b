/* SPDX-License-Identifier: Apache-2.0 */
/* sys_heap.h - where Zephyr has what tally/sys_heap.h declares */
#include "tally/sys_heap.h"
