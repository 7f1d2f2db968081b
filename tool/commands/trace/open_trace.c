/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open_trace.c - from a source that is a trace to what it adds up to, and the
 * one line that says what of it is missing
 */
#include "tool/commands/trace/open_trace.h"

#include <stdarg.h>
#include <stdio.h>

#include "tool/commands/options/complaint.h"
#include "tool/model/sources/load_calls.h"
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

static int load(struct trace *trace, const char *name, const char *elf,
                struct trace_sum *sum)
{
    struct source_failure failure;
    struct trace_names *names = trace_names_open(trace, elf, &failure);
    int status = COMMAND_DONE;

    if (names == NULL)
        return complain_about_source(elf != NULL ? elf : name, &failure);
    if (trace_sum_load(sum, trace, names, &failure) < 0)
        status = complain_about_source(name, &failure);
    trace_names_close(names);
    return status != COMMAND_DONE ? status : trace_check(name, &sum->counts);
}

int open_trace_sum(struct source *source, const char *name,
                   const struct elf_option *elf, struct trace_sum *sum)
{
    const char *program = elf_option_program(elf);
    struct source_failure failure;
    struct trace trace;
    int status;

    if (trace_open_source(&trace, source, &failure) < 0)
        return complain_about_source(name, &failure);
    status = load(&trace, name, program, sum);
    trace_close(&trace);
    if (status == COMMAND_DONE && program == NULL && elf->path != NULL &&
        !trace_sum_has_calls(sum))
        return complain(elf->path, "it is a ledger, which names no regions",
                        "name the program's file with --elf");
    if (status == COMMAND_DONE && sum->regions.left_out != 0)
        complain(name, "it has more than 16,384 regions",
                 "events of the others are left out");
    return status;
}

int open_calls(const struct trace_sum *sum, const char *name,
               const struct elf_option *elf, struct profile *profile)
{
    struct caller_modules modules = { 0 };
    int status = elf_option_add(elf, &sum->program, &modules);

    if (status == COMMAND_DONE && load_calls(sum, &modules, profile) < 0)
        status = complain(name, "there is not enough memory to load it",
                          "free some and try again");
    caller_modules_close(&modules);
    return status;
}
