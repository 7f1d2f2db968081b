/* SPDX-License-Identifier: Apache-2.0 */
/* countdown_own.c - the countdown's carrier where the recorder is not it */
#if __STDC_HOSTED__
#include <stddef.h>

#include "core/countdown.h"

static struct countdown_words words;

struct countdown_carrier countdown_carrier = { .words = &words };

const struct countdown_words *countdown_shared = &words;
#else
typedef int countdown_own_is_for_hosts;
#endif
