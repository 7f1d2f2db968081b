/* SPDX-License-Identifier: Apache-2.0 */
/* listeners.c - words read by every allocation; see hook.h and sample.h */
#include "core/observers/sample.h"
#include "tally/hook.h"

TALLY_THREAD_LOCAL uint32_t tally_listeners = TALLY_LISTENER_UNSETTLED;

#if TALLY_HAS(OS)
static const uint32_t nothing_is_sampled;

const uint32_t *sample_generation = &nothing_is_sampled;
const struct sample_calls *sample_calls;
#endif
