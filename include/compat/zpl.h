/* SPDX-License-Identifier: Apache-2.0 */
/* zpl.h - the part of Zephelin's zpl.h that Tally implements */
#ifndef TALLY_COMPAT_ZPL_H
#define TALLY_COMPAT_ZPL_H

#include "tally/zpl.h"

/* Do nothing. tally_zpl_start() or TALLY_ZPL in the environment sets the
   target. */
static inline int zpl_init(void)
{
    return 0;
}

/* Code scopes and named events are accepted, not recorded. */
#define ZPL_MARK_CODE_SCOPE(scope)
#define ZPL_CODE_SCOPE_DEFINE(name, enabled)
#ifndef sys_trace_named_event
#define sys_trace_named_event(name, a, b) ((void)(name), (void)(a), (void)(b))
#endif

#endif /* TALLY_COMPAT_ZPL_H */
