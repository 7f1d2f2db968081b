/* SPDX-License-Identifier: Apache-2.0 */
/* countdown_own.c - the countdown's carrier where the recorder is not it */
#include <stddef.h>

#include "sampling/countdown/countdown.h"

static struct countdown_words words;

struct countdown_carrier countdown_carrier = { .words = &words };
