/* SPDX-License-Identifier: Apache-2.0 */
/* memory_event.h - where Zephelin has what tally/zpl.h declares */
#include "tally/zpl.h"
