/* SPDX-License-Identifier: Apache-2.0 */
/* heap_listener.h - where Zephyr has what tally/heap_listener.h declares */
#include "tally/heap_listener.h"
