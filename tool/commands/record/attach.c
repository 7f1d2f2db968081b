/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attach.c - `tally attach`: record a running process, and `tally detach`: stop
 * that
 */
#include <inttypes.h>

#include "tool/attach/attach.h"
#include "tool/commands/load/load.h"
#include "tool/commands/record/record_parts.h"

struct attaching {
    struct recording recording;
    struct attached attached;
    uint64_t start_ticks; /* 0: unknown */
    char *program[2];     /* argv of the program; empty if unknown */
};

/* Find the program that the process runs; its file may have been replaced
   since. */
static int find_program(struct attaching *attaching, pid_t pid,
                        struct session_failure *failure)
{
    char *path = attaching->recording.program.path;
    struct process_state state;

    if (target_check(pid, failure) < 0)
        return -1;
    attaching->attached.pid = pid;
    if (process_state_read(pid, &state) == 0)
        attaching->start_ticks = state.start_ticks;
    if (process_program_read(pid, path) < 0)
        return session_fail(failure, "attach: /proc/%ld/exe: %s; try again",
                            (long)pid, strerror(errno));
    attaching->program[0] = path;
    attaching->recording.options.program = attaching->program;
    return 0;
}

/* Switch recording on again in a process that is recorded already. */
static int switch_on(pid_t pid, struct session_failure *failure)
{
    const size_t at = offsetof(struct ledger_header, control);
    struct live_ledger ledger;
    uint32_t control = LEDGER_CONTROL_NEVER;
    int result = live_ledger_open(pid, &ledger, failure);

    if (result == 0)
        result = live_ledger_get(&ledger, at, &control, failure);
    if (result == 0 && control == LEDGER_CONTROL_NEVER)
        result = session_fail(failure,
                              "attach: %ld: it was started with "
                              "vm.mem_profiling=never; restart it",
                              (long)pid);
    if (result == 0)
        result = live_ledger_set(&ledger, at, LEDGER_CONTROL_ON, failure);
    live_ledger_close(&ledger);
    if (result == 0)
        tell_line("%ld is already recorded since its start%s; tally snapshot "
                  "%ld writes a recording",
                  (long)pid,
                  control == LEDGER_CONTROL_ON ? "" : ", and is switched on",
                  (long)pid);
    return result;
}

/* Check for another tally that attaches, or left something. Return
   COMMAND_GO_ON if there is none. */
static int look_for_others(pid_t pid)
{
    struct session_failure failure;
    struct attached other;
    int session, result = COMMAND_GO_ON;

    switch (attached_find(&other, pid, &session)) {
    case ATTACHED_BY_TALLY:
        result = tell_line("attach: %ld: already recorded by tally attach, "
                           "process %ld; stop it with tally detach %ld",
                           (long)pid, (long)other.holder, (long)pid);
        break;
    case ATTACHED_BY_DEAD:
        if (attached_end(&other, session, &failure) < 0)
            result = tell_line("%s", failure.text);
        break;
    case ATTACHED_BY_RECORD:
        result = switch_on(pid, &failure) < 0 ? tell_line("%s", failure.text)
                                              : COMMAND_DONE;
        break;
    default:
        break;
    }
    attached_close(&other);
    if (session >= 0)
        close(session);
    return result;
}

static int prepare(struct attaching *attaching, pid_t pid,
                   struct session_failure *failure)
{
    struct recording *recording = &attaching->recording;
    struct record_options *options = &recording->options;

    if (find_program(attaching, pid, failure) < 0 ||
        recording_make_way(recording, failure) < 0 ||
        recording_open_trace(recording, failure) < 0 ||
        recorder_library_find(&recording->library, failure) < 0)
        return -1;
    options->settings.events_clock = recording_clock(options);
    recording_set_budget(&options->settings, pid);
    attaching->attached.allocator = options->allocator;
    /* No signal ends tally until the jumps are removed. */
    signal_relay_begin(&recording->relay);
    if (attached_begin(&attaching->attached, pid, recording->library.path,
                       &options->settings, &recording->session, failure) < 0)
        return -1;
    recording->writer.program = pid;
    keeper_begin(&recording->keeper, options, recording->program.path,
                 &recording->session);
    if (keeper_program(&recording->keeper) != NULL)
        *keeper_program(&recording->keeper) = pid;
    return 0;
}

static bool is_alive(const struct attaching *attaching)
{
    return process_is_alive(attaching->attached.pid, attaching->start_ticks);
}

static void tell_others(const struct attached *attached)
{
    if (attached->others > 1)
        tell_line("%" PRIu32 " processes still have the jumps: they have "
                  "other rights or parents than %ld; remove them with tally "
                  "detach %ld, and so on",
                  attached->others, (long)attached->pid, (long)attached->other);
    else if (attached->others == 1)
        tell_line("process %ld still has the jumps: it has other rights or "
                  "another parent than %ld; remove them with tally detach %ld",
                  (long)attached->other, (long)attached->pid,
                  (long)attached->other);
}

/* Detach. The program may end meanwhile, and the jumps with it. */
static void end(struct attaching *attaching)
{
    struct recording *recording = &attaching->recording;
    struct session_failure failure;

    recording->session.settings.follow = SESSION_FOLLOW_NONE;
    if (is_alive(attaching) &&
        attached_end(&attaching->attached, recording->session.fd, &failure) <
            0 &&
        is_alive(attaching))
        tell_line("%s; its calls go to the recorder until tally detach %ld",
                  failure.text, (long)attaching->attached.pid);
    tell_others(&attaching->attached);
    attached_close(&attaching->attached);
}

int command_attach(int argc, char **argv)
{
    static struct attaching attaching;
    struct recording *recording = &attaching.recording;
    struct session_failure failure;
    const char *process = NULL;
    siginfo_t info = { 0 };
    int status;

    session_command = "attach";
    recording->session.fd = -1;
    status = attach_options_parse(argc, argv, &recording->options, &process);
    if (status != COMMAND_GO_ON)
        return status;
    if (!is_pid(process))
        return complain(process, "not a process ID",
                        "name a running process; pgrep PROGRAM finds it");
    recording_fill_streams();
    status = look_for_others((pid_t)atol(process));
    if (status != COMMAND_GO_ON)
        return status;
    if (prepare(&attaching, (pid_t)atol(process), &failure) < 0) {
        event_output_discard(&recording->drain.first);
        recording_clean_up(recording);
        /* This is the reason for any other failure. */
        if (attaching.start_ticks != 0 && !is_alive(&attaching))
            return tell_line("process %ld: the process has ended; name a "
                             "running one",
                             (long)attaching.attached.pid);
        return tell_line("%s", failure.text);
    }
    recording->relay.kept = recording->options.snapshot_signal;
    recording_begin(recording);
    if (!recording->options.is_quiet)
        tell_line("attached to %ld, paused for %.1f ms; stop with Ctrl-C or "
                  "tally detach %ld",
                  (long)attaching.attached.pid,
                  (double)attaching.attached.stopped_ns / 1e6,
                  (long)attaching.attached.pid);
    /* Wait until the process ends or a signal asks to detach. */
    while (is_alive(&attaching) && attached_stands(&attaching.attached) &&
           !session_is_left(recording->session.fd) &&
           !recording_is_ended_by(&info))
        recording_sleep(recording, recording_poll(recording), &info);
    end(&attaching);
    signal_relay_end(&recording->relay);
    recording_finish(recording);
    record_summary_print(&recording->writer, &recording->drain,
                         keeper_copies(&recording->keeper),
                         &recording->options);
    record_budget_end(&recording->options.budget, &recording->writer);
    recording_clean_up(recording);
    return COMMAND_DONE;
}

int command_detach(int argc, char **argv)
{
    static const struct option_rule no_rules[] = { { 0 } };
    static const struct option_table table = {
        .command = "detach",
        .help = help_detach,
        .arguments = ARGUMENT_PROCESS,
        .rules = no_rules,
    };
    struct session_failure failure;
    struct attached attached;
    const char *process;
    enum attached_by by;
    int session, result;
    int status = options_read(&table, argc, argv, NULL);

    if (status == COMMAND_GO_ON)
        status = options_take_one(&table, "process", argc, argv, &process);
    if (status != COMMAND_GO_ON)
        return status;
    if (!is_pid(process))
        return complain(process, "not a process ID",
                        "name a program that tally attach records");
    by = attached_find(&attached, (pid_t)atol(process), &session);
    if (by != ATTACHED_BY_TALLY && by != ATTACHED_BY_DEAD) {
        attached_close(&attached);
        if (session >= 0)
            close(session);
        if (target_check((pid_t)atol(process), &failure) < 0)
            return tell_line("%s", failure.text);
        return complain(process, "tally attach does not record it",
                        "start that with tally attach PID");
    }
    result = attached_end(&attached, session, &failure);
    attached_close(&attached);
    close(session);
    if (result < 0)
        return tell_line("%s", failure.text);
    tell_others(&attached);
    printf("detached from %s, paused for %.1f ms\n", process,
           (double)attached.stopped_ns / 1e6);
    return COMMAND_DONE;
}
