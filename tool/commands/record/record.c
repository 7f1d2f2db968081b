/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.c - `tally record`: run a program and keep its accounts
 *
 * Everything that can be refused is refused before the program runs. From then
 * on the program comes first: whatever fails here costs accounts, is said in
 * one line after the program has ended, and never changes how it ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tool/commands/options/complaint.h"
#include "tool/commands/record/keeper.h"
#include "tool/commands/record/record_parts.h"
#include "tool/files/former_output.h"
#include "tool/launch/launch.h"
#include "tool/launch/program_file.h"
#include "tool/launch/signal_relay.h"
#include "tool/model/trace/caller_modules.h"
#include "tool/session/clock.h"
#include "tool/session/images/ledger_file.h"

/* All that a recording holds while the program runs. */
struct recording {
    struct record_options options;
    struct program_file program;
    struct recorder_library library;
    struct session_file session;
    struct keeper keeper;
    struct signal_relay relay;
    struct image_writer writer;
    struct event_drain drain; /* of a trace */
};

enum { LOOK_MS = 50 };

#define SECOND UINT64_C(1000000000)

/* Descriptors of ours must not take the place of a closed standard stream. */
static void fill_standard_streams(void)
{
    int fd;

    do {
        fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

/* Whether each call of an allocation function is kept, as it happens. */
static bool wants_trace(const struct record_options *options)
{
    return options->trace_text != NULL || options->has_events;
}

static uint32_t choose_clock(const struct record_options *options)
{
    const char *clock = secure_getenv("TALLY_CLOCK");

    if (!wants_trace(options))
        return EVENTS_CLOCK_NONE;
    return tick_scale_choose(clock != NULL && strcmp(clock, "monotonic") == 0);
}

/* What an earlier recording wrote to `path`, and of other images beside it. A
   device stays, and takes a trace. */
static int make_way_for(const struct recording *recording, const char *path,
                        struct session_failure *failure)
{
    char images[PATH_MAX + 8];
    const char *names[] = { images, path };

    if (!recording->options.is_forced || path == NULL)
        return 0;
    snprintf(images, sizeof images, "%.*s.d", PATH_MAX, path);
    for (size_t i = 0; i < 2; i++) {
        if (former_output_remove(names[i], recording->program.path) < 0 &&
            errno != EMEDIUMTYPE)
            return session_fail(failure,
                                "record: %s: %s; name another with -o FILE",
                                names[i], former_output_error());
    }
    return 0;
}

/* Its snapshots, FILE.1 and so on, up to the first number without one. */
static int make_way_for_numbers(const struct recording *recording,
                                struct session_failure *failure)
{
    char path[PATH_MAX + 16];
    int error = 0;

    for (unsigned i = 1; recording->options.is_forced && error == 0; i++) {
        snprintf(path, sizeof path, "%s.%u", recording->options.output, i);
        if (!is_ledger_file(path))
            break;
        error = make_way_for(recording, path, failure);
    }
    return error;
}

/* Before the program runs: where the trace goes, as far as it has a name. */
static int open_trace(struct recording *recording,
                      struct session_failure *failure)
{
    const struct record_options *options = &recording->options;
    struct event_output *output = &recording->drain.first;

    if (make_way_for(recording, options->trace_text, failure) < 0 ||
        make_way_for(recording, options->trace_folder, failure) < 0)
        return -1;
    if (options->trace_text != NULL)
        return event_output_open(output, EVENT_FORM_TEXT, options->trace_text,
                                 failure);
    if (options->trace_folder != NULL)
        return event_output_open(output, EVENT_FORM_CTF, options->trace_folder,
                                 failure);
    return 0;
}

/* PROGRAM.PID.tally gets PROGRAM.PID.events, and FILE gets FILE.events. */
static void open_beside(struct recording *recording, const char *ledger)
{
    struct event_drain *drain = &recording->drain;
    struct session_failure *failure = session_failure_slot(&drain->failures);
    static const char suffix[] = ".tally";
    size_t length = strlen(ledger);
    char path[PATH_MAX + 8];

    if (length > strlen(suffix) &&
        strcmp(ledger + length - strlen(suffix), suffix) == 0)
        length -= strlen(suffix);
    snprintf(path, sizeof path, "%.*s.events", (int)length, ledger);
    if (make_way_for(recording, path, failure) < 0 ||
        event_output_open(&drain->first, EVENT_FORM_CTF, path, failure) < 0)
        drain->failures.count++;
}

/* The program runs; what fails is said at the end. */
static void begin_trace(struct recording *recording)
{
    const struct record_options *options = &recording->options;
    struct event_drain *drain = &recording->drain;

    if (!wants_trace(options))
        return;
    drain->session = &recording->session;
    drain->form = options->has_events ? EVENT_FORM_CTF : EVENT_FORM_TEXT;
    drain->program = recording->writer.program;
    drain->program_path = recording->writer.program_path;
    if (options->has_events && options->trace_folder == NULL)
        open_beside(recording, recording->writer.path);
    if (event_drain_begin(drain, session_failure_slot(&drain->failures)) < 0)
        drain->failures.count++;
}

static int prepare(struct recording *recording, struct session_failure *failure)
{
    struct record_options *options = &recording->options;
    bool is_named = options->output != NULL;

    if (program_file_find(options->program, &recording->program, failure) < 0 ||
        make_way_for(recording, options->output, failure) < 0 ||
        (is_named && make_way_for_numbers(recording, failure) < 0) ||
        image_writer_check_place(is_named ? options->output : "default.tally",
                                 is_named, failure) < 0 ||
        recorder_library_find(&recording->library, failure) < 0)
        return -1;
    strcpy(options->settings.own_allocator, recording->program.own_allocator);
    options->settings.patches = recording->program.plan.count;
    options->settings.events_clock = choose_clock(options);
    if (session_file_create(&recording->session, &options->settings, failure) <
        0)
        return -1;
    if (pwrite(recording->session.fd, &recording->program.plan,
               sizeof recording->program.plan, SESSION_PATCHES) < 0)
        return session_fail(failure, "record: cannot write the session: %s",
                            strerror(errno));
    keeper_begin(&recording->keeper, options, recording->program.path,
                 &recording->session);
    if (launch_set_environment(&recording->library,
                               recording->session.environment,
                               recording->program.path, failure) < 0)
        return -1;
    return open_trace(recording, failure);
}

/* The program's end is what others wait for: a pipe from it must not stay open
   because of us. */
static void give_up_streams(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    close(null);
}

/* An ignored signal ends the wait only if a process sends it; SIGHUP never. */
static bool ends_the_wait(const siginfo_t *info)
{
    bool is_for_all = info->si_code == SI_KERNEL || info->si_signo == SIGHUP;
    struct sigaction held;

    if (info->si_signo != SIGINT && info->si_signo != SIGTERM &&
        info->si_signo != SIGHUP && info->si_signo != SIGQUIT)
        return false;
    sigaction(info->si_signo, NULL, &held);
    return !is_for_all || held.sa_handler != SIG_IGN;
}

/*
 * Return when no process of the session is left, so many seconds have passed,
 * or a signal asks us to end. Processes that run on are left alone.
 */
static void wait_for_others(struct recording *recording)
{
    struct image_writer *writer = &recording->writer;
    struct signal_relay *relay = &recording->relay;
    uint64_t begin = clock_ns(CLOCK_MONOTONIC), passed = 0;
    bool is_said = recording->options.is_quiet;
    siginfo_t info = { 0 };
    uint32_t count;

    while (passed < recording->options.wait &&
           (count = image_writer_running(writer)) > 0 &&
           !ends_the_wait(&info)) {
        int wait_ms = image_writer_poll(writer);
        struct timespec interval = {
            .tv_nsec = (wait_ms < LOOK_MS ? wait_ms : LOOK_MS) * 1000000L
        };

        if (passed == 0)
            give_up_streams();
        if (!is_said && passed >= SECOND) {
            tell_line("%" PRIu32 " process%s of the program run%s on and %s "
                      "recorded; Ctrl-C or kill %ld ends that, --wait=first "
                      "at once",
                      count, count == 1 ? "" : "es", count == 1 ? "s" : "",
                      count == 1 ? "is" : "are", (long)getpid());
            is_said = true;
        }
        info.si_signo = 0;
        if (sigtimedwait(&relay->all, &info, &interval) == SIGTSTP)
            program_wait_stop_by(SIGTSTP, relay);
        passed = clock_ns(CLOCK_MONOTONIC) - begin;
    }
}

/* What is due while the program runs. */
static int poll_all(void *whole)
{
    struct recording *recording = whole;
    struct image_writer *writer = &recording->writer;
    int wait_ms = image_writer_poll(writer);

    if (recording->relay.kept_count > 0)
        recording->options.snapshots.is_asked = true;
    recording->relay.kept_count = 0;
    wait_ms = record_budget_poll(&recording->options.budget, writer,
                                 &writer->table, wait_ms);
    return snapshots_poll(&recording->options.snapshots, &writer->table,
                          &recording->session, writer->program, writer->path,
                          wait_ms);
}

/* The program's wait status, or -1 when it was not run. */
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
    writer->session = &recording->session;
    writer->program_path = recording->program.path;
    writer->arguments = recording->options.program;
    if (recording->options.output != NULL) {
        snprintf(writer->path, sizeof writer->path, "%s",
                 recording->options.output);
    } else {
        ledger_file_name("", recording->options.program[0], writer->program,
                         writer->path);
        ledger_file_choose(writer->path);
    }
    if (recording->options.is_stdout)
        writer->output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    writer->events = &recording->drain;
    record_budget_begin(&recording->options.budget, writer->program_path);
    begin_trace(recording);
    status =
        program_wait(writer->program, &recording->relay, poll_all, recording);
    signal_relay_end(&recording->relay);
    writer->status = status;
    writer->has_status = true;
    wait_for_others(recording);
    if (recording->drain.session != NULL)
        event_drain_finish(&recording->drain);
    image_writer_finish(writer);
    if (writer->output > 0)
        close(writer->output); /* a reader needs no more */
    return status;
}

static void clean_up(struct recording *recording)
{
    /* A process that still runs may yet exec, and needs the link then. */
    if (recording->writer.running_count == 0)
        recorder_library_remove(&recording->library);
    keeper_end(&recording->keeper, recording->writer.running_count > 0);
    event_drain_end(&recording->drain);
    image_table_free(&recording->writer.table);
    session_file_close(&recording->session);
}

int command_record(int argc, char **argv)
{
    struct recording recording = { .session = { .fd = -1 } };
    struct session_failure failure;
    int status = record_options_parse(argc, argv, &recording.options);

    if (status >= 0)
        return status;
    fill_standard_streams();
    status = prepare(&recording, &failure);
    if (status == 0)
        status = run(&recording, &failure);
    if (status < 0) {
        event_output_discard(&recording.drain.first);
        clean_up(&recording);
        return tell_line("%s", failure.text);
    }
    record_summary_print(&recording.writer, &recording.drain,
                         &recording.options);
    record_budget_end(&recording.options.budget, &recording.writer);
    clean_up(&recording);
    return program_end_alike(status);
}
