/* SPDX-License-Identifier: Apache-2.0 */
/* record_trace.c - see record_trace.h */
#include "tool/commands/record/record_trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/commands/options/command.h"
#include "tool/text/escape.h"
#include "tool/text/number.h"

bool record_trace_is_wanted(const struct record_trace *trace)
{
    return trace->text != NULL || trace->has_events;
}

int record_trace_check(const struct record_trace *trace)
{
    if (trace->text == NULL || !trace->has_events)
        return COMMAND_GO_ON;
    fputs("tally: record: --trace and --events are two forms of one trace; use "
          "--events and tally decode\n",
          stderr);
    return COMMAND_USAGE;
}

uint32_t record_trace_clock(const struct record_trace *trace)
{
    const char *clock = secure_getenv("TALLY_CLOCK");

    if (!record_trace_is_wanted(trace))
        return EVENTS_CLOCK_NONE;
    return tick_scale_choose(clock != NULL && strcmp(clock, "monotonic") == 0);
}

int record_trace_prepare(struct record_trace *trace,
                         struct session_failure *failure)
{
    if (trace->text != NULL)
        return event_output_open(&trace->drain.first, EVENT_FORM_TEXT,
                                 trace->text, failure);
    if (trace->folder != NULL)
        return event_output_open(&trace->drain.first, EVENT_FORM_CTF,
                                 trace->folder, failure);
    return 0;
}

void record_trace_cancel(struct record_trace *trace)
{
    event_output_discard(&trace->drain.first);
}

static void note_failure(struct event_drain *drain,
                         const struct session_failure *failure)
{
    if (drain->failed_count++ == 0)
        drain->failure = *failure;
}

/* PROGRAM.PID.tally gets PROGRAM.PID.events, and FILE gets FILE.events. */
static void open_beside(struct event_drain *drain, const char *ledger)
{
    static const char suffix[] = ".tally";
    size_t length = strlen(ledger);
    struct session_failure failure;
    char path[PATH_MAX + 8];

    if (length > strlen(suffix) &&
        strcmp(ledger + length - strlen(suffix), suffix) == 0)
        length -= strlen(suffix);
    snprintf(path, sizeof path, "%.*s.events", (int)length, ledger);
    if (event_output_open(&drain->first, EVENT_FORM_CTF, path, &failure) < 0)
        note_failure(drain, &failure);
}

void record_trace_begin(struct record_trace *trace,
                        struct session_file *session, pid_t program,
                        const char *program_path, const char *ledger)
{
    struct event_drain *drain = &trace->drain;
    struct session_failure failure;

    if (!record_trace_is_wanted(trace))
        return;
    drain->session = session;
    drain->form = trace->has_events ? EVENT_FORM_CTF : EVENT_FORM_TEXT;
    drain->program = program;
    drain->program_path = program_path;
    if (trace->has_events && trace->folder == NULL)
        open_beside(drain, ledger);
    if (event_drain_begin(drain, &failure) < 0)
        note_failure(drain, &failure);
}

void record_trace_finish(struct record_trace *trace)
{
    if (trace->drain.session != NULL)
        event_drain_finish(&trace->drain);
}

void record_trace_print(const struct record_trace *trace, bool is_quiet)
{
    const struct event_drain *drain = &trace->drain;
    char events[NUMBER_SIZE], lost[NUMBER_SIZE];

    if (drain->session == NULL)
        return;
    if (drain->failed_count > 0)
        fprintf(stderr, "tally: %s\n", drain->failure.text);
    if (drain->lost > 0)
        fprintf(stderr, "tally: %s event%s lost\n",
                number_unsigned(lost, drain->lost), number_plural(drain->lost));
    if (is_quiet || drain->first.path[0] == '\0')
        return;
    fprintf(stderr, "tally: %s event%s in ",
            number_unsigned(events, drain->events),
            number_plural(drain->events));
    escape_write(stderr, ESCAPE_TERMINAL, drain->first.path, SIZE_MAX);
    if (drain->other_count > 0) {
        fprintf(stderr, ", and %" PRIu32 " other%s in ", drain->other_count,
                number_plural(drain->other_count));
        escape_write(stderr, ESCAPE_TERMINAL, drain->first.path, SIZE_MAX);
        fputs(".d", stderr);
    }
    fputc('\n', stderr);
}
