/* SPDX-License-Identifier: Apache-2.0 */
/* countdown_own.c - who carries the countdown, wherever the recorder does not */
#if __STDC_HOSTED__
#include <stddef.h>

#include "core/countdown.h"

static struct countdown_words words;

struct countdown_carrier countdown_carrier = { .words = &words };

const struct countdown_words *countdown_shared = &words;
#else
typedef int countdown_own_is_for_hosts;
#endif
