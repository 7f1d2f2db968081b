/* SPDX-License-Identifier: Apache-2.0 */
/* memory_event.h - where Zephelin has what tally/zpl.h declares */
#ifndef TALLY_COMPAT_ZPL_MEMORY_EVENT_H
#define TALLY_COMPAT_ZPL_MEMORY_EVENT_H

#include "tally/zpl.h"

#endif /* TALLY_COMPAT_ZPL_MEMORY_EVENT_H */
