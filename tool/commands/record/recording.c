/* SPDX-License-Identifier: Apache-2.0 */
/* recording.c - see record_parts.h */
#include "tool/commands/record/record_parts.h"

#include <fcntl.h>
#include <inttypes.h>

#include "tool/commands/options/command.h"
#include "tool/files/files.h"

#define SECOND UINT64_C(1000000000)

/* Longest time between two polls. */
enum { RECORDING_LOOK_MS = 50 };

/* Descriptors of ours must not take the place of a closed standard stream. */
void recording_fill_streams(void)
{
    int fd;

    do {
        fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

/* Return true if each call of an allocation function is recorded. */
static bool wants_trace(const struct record_options *options)
{
    return options->trace_text != NULL || options->has_events;
}

uint32_t recording_clock(const struct record_options *options)
{
    const char *clock = secure_getenv("TALLY_CLOCK");

    /* Copies may be read on a machine that cannot convert the CPU's counter. */
    if (options->settings.blackbox_rings != 0)
        return EVENTS_CLOCK_NANOSECONDS;
    if (!wants_trace(options))
        return EVENTS_CLOCK_NONE;
    return tick_scale_choose(clock != NULL && strcmp(clock, "monotonic") == 0);
}

void recording_set_budget(struct session_header *settings, pid_t program)
{
    struct tick_scale scale;

    if (settings->sample_budget == 0)
        return;
    settings->sample_cpus = cpu_capacity(program);
    if (tick_scale_choose(0) != EVENTS_CLOCK_TICKS)
        return;
    tick_scale_begin(&scale, EVENTS_CLOCK_TICKS);
    nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
    tick_scale_update(&scale);
    if (scale.ns_per_tick > 0)
        settings->sample_ticks = (uint64_t)((double)SECOND / scale.ns_per_tick);
}

/* Check that `path` can be removed, or remove it. */
typedef int way_fn(const char *path, const char *read);

/* Remove an earlier recording at `path`, with the ledgers of other images
   beside it. A device stays: it can take a trace. */
static int make_way_for(const struct recording *recording, const char *path,
                        way_fn *make, struct session_failure *failure)
{
    char images[PATH_MAX + 8];
    const char *names[] = { images, path };

    if (!recording->options.is_forced || path == NULL)
        return 0;
    snprintf(images, sizeof images, "%.*s.d", PATH_MAX, path);
    for (size_t i = 0; i < 2; i++) {
        if (make(names[i], recording->program.path) < 0 &&
            (errno != EMEDIUMTYPE || path == recording->options.output))
            return session_fail(failure,
                                "record: %s: %s; name another with -o FILE",
                                names[i], former_output_error());
    }
    return 0;
}

/* Remove FILE and its snapshots FILE.1 and so on, up to the first missing
   number. */
static int clear_way(const struct recording *recording, way_fn *make,
                     struct session_failure *failure)
{
    const char *output = recording->options.output;
    char path[PATH_MAX + 16];
    int error = make_way_for(recording, output, make, failure);

    for (unsigned i = 1; output != NULL && error == 0; i++) {
        snprintf(path, sizeof path, "%s.%u", output, i);
        if (!recording->options.is_forced || !is_ledger_file(path))
            break;
        error = make_way_for(recording, path, make, failure);
    }
    return error;
}

int recording_make_way(struct recording *recording,
                       struct session_failure *failure)
{
    const char *output = recording->options.output;

    if (clear_way(recording, former_output_may_go, failure) < 0)
        return -1;
    return image_writer_check_place(
        output != NULL ? output : "default.tally",
        output != NULL && !recording->options.is_forced, failure);
}

int recording_open_trace(struct recording *recording,
                         struct session_failure *failure)
{
    const struct record_options *options = &recording->options;
    struct event_output *output = &recording->drain.first;

    if (make_way_for(recording, options->trace_text, former_output_remove,
                     failure) < 0 ||
        make_way_for(recording, options->trace_folder, former_output_remove,
                     failure) < 0)
        return -1;
    if (options->trace_text != NULL)
        return event_output_open(output, EVENT_FORM_TEXT, options->trace_text,
                                 failure);
    if (options->trace_folder != NULL)
        return event_output_open(output, EVENT_FORM_CTF, options->trace_folder,
                                 failure);
    return 0;
}

/* Open the trace's folder beside the ledger: PROGRAM.PID.events for
   PROGRAM.PID.tally, FILE.events for FILE. */
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
    if (make_way_for(recording, path, former_output_remove, failure) < 0 ||
        event_output_open(&drain->first, EVENT_FORM_CTF, path, failure) < 0)
        drain->failures.count++;
}

/* Start the trace while the program runs; failures are reported at the end. */
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

void recording_begin(struct recording *recording)
{
    struct image_writer *writer = &recording->writer;
    const struct record_options *options = &recording->options;
    struct session_failure failure;

    (void)clear_way(recording, former_output_remove, &failure);
    writer->session = &recording->session;
    writer->most = options->most;
    writer->program_path = recording->program.path;
    writer->arguments = options->program;
    writer->guest = recording->program.guest;
    if (options->output != NULL) {
        snprintf(writer->path, sizeof writer->path, "%s", options->output);
    } else {
        ledger_file_name("", options->program[0], writer->program,
                         writer->path);
        ledger_file_choose(writer->path);
    }
    if (options->is_stdout)
        writer->output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    writer->events = &recording->drain;
    record_budget_begin(&recording->options.budget, writer->program_path);
    begin_trace(recording);
}

/* Close standard streams: readers of a pipe from the program wait for its end,
   so tally must not hold it open. */
static void give_up_streams(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    close(null);
}

bool recording_is_ended_by(const siginfo_t *info)
{
    bool is_for_all = info->si_code == SI_KERNEL || info->si_signo == SIGHUP;
    struct sigaction held;

    if (info->si_signo != SIGINT && info->si_signo != SIGTERM &&
        info->si_signo != SIGHUP && info->si_signo != SIGQUIT)
        return false;
    sigaction(info->si_signo, NULL, &held);
    return !is_for_all || held.sa_handler != SIG_IGN;
}

void recording_sleep(struct recording *recording, int wait_ms, siginfo_t *info)
{
    struct signal_relay *relay = &recording->relay;
    struct timespec interval = {
        .tv_nsec = (wait_ms < RECORDING_LOOK_MS ? wait_ms : RECORDING_LOOK_MS) *
                   1000000L
    };
    int number;

    info->si_signo = 0;
    number = sigtimedwait(&relay->all, info, &interval);
    if (number == SIGTSTP)
        program_wait_stop_by(SIGTSTP, relay);
    else if (number > 0 && number == recording->options.snapshot_signal)
        relay->kept_count++;
}

/* Handle a signal to tally that asks for a copy or a snapshot. */
static void take_kept_signals(struct recording *recording)
{
    if (recording->relay.kept_count > 0 && !keeper_ask(&recording->keeper))
        recording->options.snapshots.is_asked = true;
    recording->relay.kept_count = 0;
}

void recording_wait(struct recording *recording)
{
    struct image_writer *writer = &recording->writer;
    uint64_t begin = clock_ns(CLOCK_MONOTONIC), passed = 0;
    bool is_said = recording->options.is_quiet;
    siginfo_t info = recording->relay.unheard;
    uint32_t count;

    while (passed < recording->options.wait &&
           (count = image_writer_running(writer)) > 0 &&
           !recording_is_ended_by(&info)) {
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
        recording_sleep(recording, image_writer_poll(writer), &info);
        take_kept_signals(recording);
        passed = clock_ns(CLOCK_MONOTONIC) - begin;
    }
}

int recording_poll(void *whole)
{
    struct recording *recording = whole;
    struct image_writer *writer = &recording->writer;
    int wait_ms = image_writer_poll(writer);

    take_kept_signals(recording);
    wait_ms = record_budget_poll(&recording->options.budget, writer,
                                 &writer->table, wait_ms);
    return snapshots_poll(&recording->options.snapshots, &writer->table,
                          &recording->session, writer->program, writer->path,
                          wait_ms);
}

/* Return true if a process of the session runs, also one without a ledger
   yet. */
static bool goes_on(const struct image_writer *writer)
{
    return writer->running_count > 0 || writer->missing[1] > 0;
}

void recording_finish(struct recording *recording)
{
    struct image_writer *writer = &recording->writer;

    if (recording->drain.session != NULL)
        event_drain_finish(&recording->drain);
    image_writer_finish(writer);
    if (!goes_on(writer)) /* so that a copy in progress is counted */
        keeper_end(&recording->keeper, false);
    if (writer->output > 0)
        close(writer->output); /* so that a reader sees the end */
}

void recording_clean_up(struct recording *recording)
{
    /* A running process needs the link for its next exec. */
    if (!goes_on(&recording->writer))
        recorder_library_remove(&recording->library);
    keeper_end(&recording->keeper, goes_on(&recording->writer));
    event_drain_end(&recording->drain);
    image_table_free(&recording->writer.table);
    session_file_close(&recording->session);
}
