/* SPDX-License-Identifier: Apache-2.0 */
/* heap_listener.h - tally/heap_listener.h under its Zephyr path */
#include "tally/heap_listener.h"
