/* SPDX-License-Identifier: Apache-2.0 */
/* record_summary.c - summary of a recording, and the next command */
#include "tool/commands/record/record_parts.h"

#include <inttypes.h>

#include "tool/commands/options/command.h"

static void print_totals(const struct image_writer *writer)
{
    const struct ledger_totals *totals = &writer->account.totals;
    const struct ledger_sample *sample = &totals->sample;

    fprintf(stderr,
            "tally: %s%s allocation%s, %s block%s (%s byte%s) live at "
            "the end",
            totals->is_estimate ? "about " : "", NUMBER(totals->allocations),
            number_plural(totals->allocations), NUMBER(sample->live_blocks),
            number_plural(sample->live_blocks), NUMBER(sample->live_bytes),
            number_plural(sample->live_bytes));
    if (writer->other_count > 0) {
        fprintf(stderr, "; %" PRIu32 " other process image%s in ",
                writer->other_count, number_plural(writer->other_count));
        escape_write(stderr, ESCAPE_TERMINAL, writer->path, SIZE_MAX);
        fputs(".d", stderr);
    }
    if (writer->running_count > 0)
        fprintf(stderr, ", %" PRIu32 " of them still running",
                writer->running_count);
    fputc('\n', stderr);
}

static void print_notices(const struct closing_account *account)
{
    for (uint32_t i = 0; i < account->notice_count; i++) {
        const struct closing_notice *notice = &account->notices[i];
        const char *sentence = trust_notice_sentence(notice->code);
        const char *place = strstr(sentence, "%s");

        if (place != NULL)
            tell_line("%.*s%s%s", (int)(place - sentence), sentence,
                      notice->text, place + 2);
    }
    if (account->more_notices > 0)
        tell_line("%" PRIu32 " more notice%s, which tally report shows",
                  account->more_notices, number_plural(account->more_notices));
}

/* Print losses, by which totals are too low. */
static void print_lost(const struct closing_account *account)
{
    static const uint8_t lost[] = {
        LEDGER_COUNT_lost_allocations, LEDGER_COUNT_lost_frees,
        LEDGER_COUNT_lost_sites,       LEDGER_COUNT_lost_stacks,
        LEDGER_COUNT_lost_modules,     LEDGER_COUNT_lost_maps,
        LEDGER_COUNT_unrecorded_forks, LEDGER_COUNT_unrecorded_images,
        LEDGER_COUNT_left_running,
    };
    char sentence[TRUST_LINE_SIZE];

    for (size_t i = 0; i < sizeof lost; i++) {
        if (account->counts[lost[i]] != 0)
            fprintf(stderr, "tally: %s %s\n", NUMBER(account->counts[lost[i]]),
                    trust_count_sentence(sentence, lost[i],
                                         account->counts[lost[i]]));
    }
}

/* A script that starts with "#!/usr/bin/env" runs exec. */
static void print_exec(const struct image_writer *writer)
{
    char path[IMAGE_PATH_SIZE];

    if (writer->last_generation == 0)
        return;
    image_path_write(path, writer->path, writer->program,
                     writer->last_generation);
    tell_report("the program ran another by exec", path);
}

static void print_written(const struct image_writer *writer)
{
    if (writer->session->settings.control == LEDGER_CONTROL_NEVER)
        tell_line("nothing was recorded: vm.mem_profiling is never");
    else if (writer->is_empty)
        tell_line("no allocation was recorded: the program made none, or did "
                  "not load the recorder");
    else if (writer->account.is_readable)
        print_totals(writer);
    if (writer->output == 0)
        tell_report("next", writer->written);
    print_exec(writer);
}

static void print_trace(const struct event_drain *drain, bool is_quiet)
{
    const char *path = drain->first.path;

    if (drain->failures.count > 0)
        tell_line("%s", drain->failures.first.text);
    if (drain->lost > 0)
        tell_line("%s event%s lost", NUMBER(drain->lost),
                  number_plural(drain->lost));
    if (is_quiet || path[0] == '\0')
        return;
    if (drain->other_count == 0)
        tell_line("%s event%s in %s", NUMBER(drain->events),
                  number_plural(drain->events), path);
    else
        tell_line("%s event%s in %s, and %" PRIu32 " other%s in %s.d",
                  NUMBER(drain->events), number_plural(drain->events), path,
                  drain->other_count, number_plural(drain->other_count), path);
}

static void print_copies(const struct blackbox_account *copies,
                         const char *folder, bool is_quiet)
{
    char share[64] = "";

    if (copies->failed > 0)
        tell_line("%" PRIu32 " cop%s not written to %s: %s; see that it has "
                  "room and can be written to",
                  copies->failed, copies->failed == 1 ? "y was" : "ies were",
                  folder, strerror(copies->error));
    if (copies->taken == 0 || is_quiet)
        return;
    if (copies->near > 0 && copies->limit != 0)
        snprintf(share, sizeof share, " at %u %% of %s", copies->per_mille / 10,
                 NUMBER_BYTES((int64_t)copies->limit));
    tell_line("%s%" PRIu32 " cop%s, the last%s in %s",
              copies->near > 0 ? "memory ran low: " : "", copies->taken,
              copies->taken == 1 ? "y" : "ies", share, copies->written);
}

void record_summary_print(const struct image_writer *writer,
                          const struct event_drain *drain,
                          const struct blackbox_account *copies,
                          const struct record_options *options)
{
    bool is_quiet = options->is_quiet;
    const struct ledger_sampling *sampling = &writer->account.sampling;
    const struct snapshots *snapshots = &options->snapshots;
    char line[TRUST_LINE_SIZE];

    if (drain->session != NULL)
        print_trace(drain, is_quiet);
    if (snapshots->failures.count > 0)
        tell_line("%s (%" PRIu32 " in all)", snapshots->failures.first.text,
                  snapshots->failures.count);
    if (snapshots->count > 0 && !is_quiet)
        tell_line("%" PRIu32 " snapshot%s, the last in %s", snapshots->count,
                  number_plural(snapshots->count), snapshots->written);
    if (copies != NULL)
        print_copies(copies, options->keep, is_quiet);
    if (writer->failures.count == 1)
        tell_line("%s", writer->failures.first.text);
    else if (writer->failures.count > 1)
        tell_line("%s (and %" PRIu32 " more recording%s)",
                  writer->failures.first.text, writer->failures.count - 1,
                  number_plural(writer->failures.count - 1));
    if (writer->was_full)
        tell_line(
            "the recording reached its limit of %s of memory: processes "
            "that started later are not recorded; raise it with --most, or "
            "record fewer with --follow",
            NUMBER_BYTES((int64_t)writer->most));
    if (is_quiet)
        return;
    print_notices(&writer->account);
    print_lost(&writer->account);
    if (sampling->budget != 0)
        tell_line("%s", trust_sampling(line, sampling->interval, sampling));
    if (writer->written[0] != '\0')
        print_written(writer);
    if (writer->running_count > 0)
        tell_line("processes still run; write their recordings with tally "
                  "snapshot PID%s%s",
                  options->keep[0] == '\0' ? "" : "; at the end they go to ",
                  options->keep);
}
