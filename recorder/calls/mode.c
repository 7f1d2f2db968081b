/* SPDX-License-Identifier: Apache-2.0 */
/* mode.c - the mode that follows from facts; see mode.h */
#include "recorder/calls/mode.h"

static bool is_counting(const struct mode_facts *facts)
{
    return facts->counts_words || facts->counts_bytes || facts->counts_live;
}

/* Return the mode of a process that records no blocks but counts. */
static enum mode counting_mode(const struct mode_facts *facts)
{
    if (facts->counts_live)
        return MODE_LIVE;
    if (facts->counts_words && facts->counts_bytes)
        return MODE_BOTH;
    if (facts->counts_words)
        return facts->is_single_threaded ? MODE_WORDS_ONE_THREAD : MODE_WORDS;
    if (facts->counts_samples)
        return facts->is_single_threaded ? MODE_SAMPLED_ONE_THREAD
                                         : MODE_SAMPLED;
    return facts->is_single_threaded ? MODE_BYTES_ONE_THREAD : MODE_BYTES;
}

enum mode mode_of(const struct mode_facts *facts)
{
    bool is_recorded = !facts->is_idle && !facts->is_sampled;

    if ((!facts->is_open && !facts->is_idle) || facts->has_budgets)
        return MODE_STARTING;
    if (facts->is_observed || (is_counting(facts) && is_recorded))
        return MODE_OBSERVED;
    if (is_counting(facts))
        return counting_mode(facts);
    if (!is_recorded)
        return facts->is_idle ? MODE_IDLE : MODE_OBSERVED;
    if (facts->is_off)
        return facts->holds_blocks ? MODE_OFF : MODE_EMPTY;
    if (!facts->is_far)
        return MODE_RECORDING;
    return facts->is_patched ? MODE_PATCHED : MODE_FAR;
}
