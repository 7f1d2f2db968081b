/* SPDX-License-Identifier: Apache-2.0 */
/* listeners.c - the word that every allocation asks; hook.h says what for */
#include "tally/hook.h"

TALLY_THREAD_LOCAL uint32_t tally_listeners = TALLY_LISTENER_UNSETTLED;
