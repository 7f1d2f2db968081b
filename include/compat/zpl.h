/* SPDX-License-Identifier: Apache-2.0 */
/* zpl.h - the part of Zephelin's header of this name that Tally has */
#ifndef TALLY_COMPAT_ZPL_H
#define TALLY_COMPAT_ZPL_H

#include "tally/zpl.h"

/* Nothing is to be initialised: tally_zpl_start(), or TALLY_ZPL in the
   environment, says where events go. */
static inline int zpl_init(void)
{
    return 0;
}

/* Scopes of code and events with names are not recorded. */
#define ZPL_MARK_CODE_SCOPE(scope)
#define ZPL_CODE_SCOPE_DEFINE(name, enabled)
#ifndef sys_trace_named_event
#define sys_trace_named_event(name, a, b) ((void)(name), (void)(a), (void)(b))
#endif

#endif /* TALLY_COMPAT_ZPL_H */
