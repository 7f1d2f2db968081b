/* SPDX-License-Identifier: Apache-2.0 */
/* open_trace.c - see open_trace.h */
#include "tool/commands/trace/open_trace.h"

#include <stdarg.h>
#include <stdio.h>

#include "tool/commands/options/complaint.h"
#include "tool/text/number.h"

struct sentence {
    char *out;
    size_t length;
};

__attribute__((format(printf, 2, 3))) static void say(struct sentence *sentence,
                                                      const char *form, ...)
{
    size_t room = TRACE_LOSSES_SIZE - sentence->length;
    va_list arguments;
    int length;

    va_start(arguments, form);
    length = vsnprintf(sentence->out + sentence->length, room, form, arguments);
    va_end(arguments);
    if (length > 0)
        sentence->length += (size_t)length < room ? (size_t)length : room - 1;
}

const char *trace_losses(char out[TRACE_LOSSES_SIZE],
                         const struct trace_counts *counts)
{
    struct sentence sentence = { .out = out };

    out[0] = '\0';
    if (counts->skipped.bytes != 0)
        say(&sentence, "skipped %s byte%s in %s place%s, the first at byte %s",
            NUMBER(counts->skipped.bytes), number_plural(counts->skipped.bytes),
            NUMBER(counts->skipped.places),
            number_plural(counts->skipped.places),
            NUMBER(counts->skipped.first));
    if (counts->lost_packets != 0)
        say(&sentence, "%s%s packet%s %s missing",
            sentence.length != 0 ? "; " : "", NUMBER(counts->lost_packets),
            number_plural(counts->lost_packets),
            counts->lost_packets == 1 ? "is" : "are");
    if (counts->cut_packets != 0)
        say(&sentence, "%sthe last packet is cut off",
            sentence.length != 0 ? "; " : "");
    if (counts->missing != 0)
        say(&sentence, "%s%s event%s %s missing",
            sentence.length != 0 ? "; " : "", NUMBER(counts->missing),
            number_plural(counts->missing),
            counts->missing == 1 ? "is" : "are");
    if (counts->discarded != 0)
        say(&sentence, "%sthe program lost %s event%s",
            sentence.length != 0 ? "; " : "", NUMBER(counts->discarded),
            number_plural(counts->discarded));
    return out;
}

int trace_check(const char *name, const struct trace_counts *counts)
{
    if (!trace_counts_are_of_trace(counts))
        return complain(name,
                        counts->bytes == 0 ? "it is empty"
                                           : "there is no memory event in it",
                        "name a trace that tally capture or a program wrote");
    if (counts->is_blank)
        tell_line("%s: it is empty: a trace in which nothing was called, "
                  "unless it is the wrong file",
                  name);
    return COMMAND_DONE;
}

void trace_tell_losses(const char *name, const struct trace_counts *counts)
{
    char losses[TRACE_LOSSES_SIZE];

    if (trace_losses(losses, counts)[0] != '\0')
        tell_line("%s: %s", name, losses);
}

int trace_refuse_option(const char *name)
{
    return tell_line("--%s: a trace has no call sites; leave it out", name);
}
