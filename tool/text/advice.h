/* SPDX-License-Identifier: Apache-2.0 */
/* advice.h - what to do about a right that is missing */
#pragma once

#include <unistd.h>

/* Return `advice`, such as "use sudo", or what may help root. */
static inline const char *advice_as_root(const char *advice)
{
    return geteuid() != 0 ? advice
                          : "run tally as root outside of this container, with "
                            "all capabilities";
}
