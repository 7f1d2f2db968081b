/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.c - `tally record`: run a program and record its memory
 *
 * Errors of usage are found before the program runs. From then on the program
 * comes first: a failure costs part of the recording, is reported in one line
 * after the program's end, and never changes its exit status.
 */
#include "tool/commands/options/command.h"
#include "tool/commands/record/record_parts.h"

static int prepare(struct recording *recording, struct session_failure *failure)
{
    struct record_options *options = &recording->options;
    char why[PATCH_WHY_SIZE];

    if (program_file_find(options->program, &recording->program, failure) < 0 ||
        recording_make_way(recording, failure) < 0 ||
        recorder_library_find(&recording->library, failure) < 0)
        return -1;
    if (options->allocator != NULL &&
        !patch_plan_add_prefixed(&recording->program.plan,
                                 recording->program.path, 0, options->allocator,
                                 why))
        return session_fail(failure, "record: --allocator=%s: %s",
                            options->allocator,
                            why[0] != '\0' ? why : PATCH_NO_ALLOCATOR);
    strcpy(options->settings.own_allocator, recording->program.own_allocator);
    options->settings.patches = SESSION_PATCHES_PLAN;
    options->settings.events_clock = recording_clock(options);
    recording_set_budget(&options->settings, getpid());
    if (session_file_create(&recording->session, &options->settings, failure) <
        0)
        return -1;
    recording->program.plan.nonce = recording->session.settings.nonce;
    if (session_file_add_plan(&recording->session, &recording->program.plan,
                              sizeof recording->program.plan, failure) < 0) {
        if (recording->program.plan.count != 0)
            return -1;
        recording->session.settings.patches = SESSION_PATCHES_NONE;
        recording->session.header->patches = SESSION_PATCHES_NONE;
    }
    keeper_begin(&recording->keeper, options, recording->program.path,
                 &recording->session);
    if (recording->program.guest == NULL &&
        launch_set_environment(&recording->library,
                               recording->session.environment,
                               recording->program.path, failure) < 0)
        return -1;
    return recording_open_trace(recording, failure);
}

/* Run the program; return its wait status, or -1 if it could not be started. */
static int run(struct recording *recording, struct session_failure *failure)
{
    struct launch launch = {
        .path = recording->program.path,
        .arguments = recording->options.program,
        .file_size_limit = recording->session.file_size_limit,
        .relay = &recording->relay,
        .told = keeper_program(&recording->keeper),
    };
    struct image_writer *writer = &recording->writer;
    int status;

    signal_relay_begin(&recording->relay);
    recording->relay.kept = recording->options.snapshot_signal;
    writer->program = launch_program(&launch, failure);
    if (writer->program < 0) {
        signal_relay_end(&recording->relay);
        return -1;
    }
    recording_begin(recording);
    status = program_wait(writer->program, &recording->relay, recording_poll,
                          recording);
    signal_relay_end(&recording->relay);
    writer->status = status;
    writer->has_status = true;
    recording_wait(recording);
    recording_finish(recording);
    return status;
}

int command_record(int argc, char **argv)
{
    struct recording recording = { .session = { .fd = -1 } };
    struct session_failure failure;
    int status = record_options_parse(argc, argv, &recording.options);

    if (status >= 0)
        return status;
    if (recording.options.process != NULL)
        return command_attach(argc, argv);
    recording_fill_streams();
    status = prepare(&recording, &failure);
    if (status == 0)
        status = run(&recording, &failure);
    if (status < 0) {
        event_output_discard(&recording.drain.first);
        recording_clean_up(&recording);
        status = tell_line("%s", failure.text);
        return failure.status != 0 ? failure.status : status;
    }
    record_summary_print(&recording.writer, &recording.drain,
                         keeper_copies(&recording.keeper), &recording.options);
    record_budget_end(&recording.options.budget, &recording.writer);
    recording_clean_up(&recording);
    return program_end_alike(status);
}
