/* SPDX-License-Identifier: Apache-2.0 */
/* call_summary.c - see profile.h */
#include "format/ctf/zpl_event.h"
#include "tool/model/profile/profile.h"

bool trace_counts_are_lossy(const struct trace_counts *counts)
{
    uint64_t lost = counts->skipped.bytes;

    for (size_t i = 0; i < TRACE_LOSS_COUNT; i++)
        lost |= counts->losses[i];
    return lost != 0;
}

const char *trace_losses(char out[TRACE_LOSSES_SIZE],
                         const struct trace_counts *counts)
{
    static const char *const sentences[] = {
#define TRACE_LOSS_SENTENCE(name, sentence) sentence,
        TRACE_LOSS_LIST(TRACE_LOSS_SENTENCE)
#undef TRACE_LOSS_SENTENCE
    };
    const struct skips *skipped = &counts->skipped;
    char sentence[64];

    out[0] = '\0';
    if (counts->events > 0 && skipped->places == 1 &&
        skipped->bytes < CTF_EVENT_LARGEST &&
        skipped->first + skipped->bytes == counts->bytes)
        snprintf(out, TRACE_LOSSES_SIZE, "the last %s byte%s no whole event",
                 NUMBER(skipped->bytes), skipped->bytes == 1 ? " is" : "s are");
    else if (skipped->bytes != 0)
        snprintf(out, TRACE_LOSSES_SIZE,
                 "skipped %s byte%s in %s place%s, the first at byte %s",
                 NUMBER(skipped->bytes), number_plural(skipped->bytes),
                 NUMBER(skipped->places), number_plural(skipped->places),
                 NUMBER(skipped->first));
    for (size_t i = 0; i < TRACE_LOSS_COUNT; i++) {
        size_t length = strlen(out);

        if (counts->losses[i] != 0)
            snprintf(out + length, TRACE_LOSSES_SIZE - length, "%s%s %s",
                     length == 0 ? "" : "; ", NUMBER(counts->losses[i]),
                     number_sentence(sentence, sizeof sentence, sentences[i],
                                     counts->losses[i]));
    }
    return out;
}
