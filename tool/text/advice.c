/* SPDX-License-Identifier: Apache-2.0 */
/* advice.c - see advice.h */
#include "tool/text/advice.h"

#include <unistd.h>

const char *advice_as_root(const char *advice)
{
    return geteuid() != 0 ? advice
                          : "run tally as root outside of this container, with "
                            "all capabilities";
}
