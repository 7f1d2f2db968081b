/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot.c - `tally snapshot`: write the current ledger to a file
 *
 * The ledger is copied from outside, without help of the process. Resident
 * memory is as tally record read it last, unless --resident is given: the
 * kernel blocks the process's mmap() while it is read. A recording with a black
 * box has the black box write the copy to its own folder, unless a file is
 * named.
 */
#include <signal.h>
#include <sys/stat.h>

#include "tool/commands/load/load.h"
#include "tool/files/files.h"

struct snapshot_options {
    const char *output; /* NULL: by the black box, or PROGRAM.PID.tally.N */
    bool is_quiet;
    bool is_resident; /* with residency */
    bool is_forced;
};

static const struct option_rule rules[] = {
    { "output", 'o', OPTION_NAMES(struct snapshot_options, output) },
    { "force", 'f', OPTION_SETS(struct snapshot_options, is_forced) },
    { "quiet", 'q', OPTION_SETS(struct snapshot_options, is_quiet) },
    { "resident", OPTION_SETS(struct snapshot_options, is_resident) },
    { 0 },
};

static const struct option_table table = {
    .command = "snapshot",
    .help = help_snapshot,
    .arguments = ARGUMENT_PROCESS,
    .rules = rules,
};

static bool is_stdout(const char *output)
{
    return output != NULL && strcmp(output, "-") == 0;
}

/* Take a snapshot: complete, and of the program that the process runs now. */
static int take(const struct live_ledger *ledger, bool is_resident,
                struct ledger_snapshot *snapshot)
{
    struct session_failure failure;
    struct ledger_totals totals;

    if (live_ledger_read(ledger, snapshot, &failure) < 0)
        return tell_line("%s", failure.text);
    if (live_ledger_is_alive(ledger) && !live_ledger_is_held(ledger))
        return tell_line("%ld: it runs another program by exec, which has no "
                         "ledger, or none yet; try again, or see the file of "
                         "its tally record",
                         (long)ledger->pid);
    if (!ledger_totals_read(snapshot, 0, &totals))
        return tell_line("%ld: its ledger is damaged, so nothing is written; "
                         "see tally report %ld",
                         (long)ledger->pid, (long)ledger->pid);
    if (is_resident &&
        live_ledger_read_residency(ledger, snapshot, &failure) < 0)
        return tell_line("%s", failure.text);
    site_history_fetch(snapshot);
    event_tail_add(snapshot);
    return COMMAND_DONE;
}

/* Make the name PROGRAM.PID.tally. */
static void make_name(const struct ledger_snapshot *snapshot, pid_t pid,
                      char path[PATH_MAX])
{
    struct ledger_reader reader;
    char program[PATH_MAX] = "";

    if (ledger_reader_open(&reader, snapshot->bytes, snapshot->size) ==
        LEDGER_E_OK)
        snprintf(program, sizeof program, "%.*s",
                 (int)reader.process.program.length,
                 (const char *)reader.process.program.bytes);
    ledger_file_name("", *program == '\0' ? "program" : program, pid, path);
}

/* Have the black box make the copy; return COMMAND_GO_ON if there is none. */
static int have_copied(const struct live_ledger *ledger, char written[PATH_MAX])
{
    if (blackbox_ask(ledger->fd, ledger->offset, written) == 0)
        return COMMAND_DONE;
    return errno == ENOMSG
               ? COMMAND_GO_ON
               : tell_line("%ld: its black box writes no copy: %s; name a "
                           "file with -o FILE",
                           (long)ledger->pid,
                           errno == ESRCH   ? "its keeper has ended"
                           : errno == ETIME ? "its keeper does not answer"
                                            : strerror(errno));
}

static int write_file(const struct snapshot_options *options,
                      const struct live_ledger *ledger,
                      const struct ledger_snapshot *snapshot)
{
    char path[PATH_MAX], written[PATH_MAX];
    const char *file = options->output;
    int status = COMMAND_GO_ON, number = file == NULL;

    /* Write errors of stdout are reported when the command ends. */
    if (is_stdout(file)) {
        fwrite(snapshot->bytes, 1, snapshot->size, stdout);
        return COMMAND_DONE;
    }
    if (file == NULL && !options->is_resident)
        status = have_copied(ledger, written);
    if (status > 0)
        return status;
    if (file == NULL) {
        make_name(snapshot, ledger->pid, path);
        file = path;
    } else if (options->is_forced) {
        number = LEDGER_FILE_REPLACES;
    }
    if (status == COMMAND_GO_ON &&
        ledger_file_write(snapshot, file, number, written) < 0)
        return tell_line("%s: %s; nothing is written, make room or name "
                         "another file with -o FILE",
                         file, former_output_error());
    if (!options->is_quiet)
        tell_report("next", written);
    return COMMAND_DONE;
}

static int run(const struct snapshot_options *options, pid_t pid)
{
    struct ledger_snapshot snapshot = { 0 };
    struct session_failure failure;
    struct live_ledger ledger;
    int status;

    if (live_ledger_open(pid, &ledger, &failure) < 0)
        return tell_line("%s", failure.text);
    status = take(&ledger, options->is_resident, &snapshot);
    if (status == COMMAND_DONE)
        status = write_file(options, &ledger, &snapshot);
    ledger_snapshot_free(&snapshot);
    live_ledger_close(&ledger);
    return status;
}

int command_snapshot(int argc, char **argv)
{
    struct snapshot_options options = { 0 };
    struct stat taken;
    const char *name;
    int status = options_read(&table, argc, argv, &options);

    if (status == COMMAND_GO_ON)
        status = options_take_one(&table, "process", argc, argv, &name);
    if (status != COMMAND_GO_ON)
        return status;
    if (!is_pid(name))
        return complain(name, "not a process ID",
                        "name a program that runs under tally record");
    /* Write to a device; do not replace it. */
    if (options.output != NULL && stat(options.output, &taken) == 0 &&
        !S_ISREG(taken.st_mode) && !S_ISDIR(taken.st_mode)) {
        if (freopen(options.output, "w", stdout) == NULL)
            return complain_about_output(options.output);
        options.output = "-";
    }
    if (is_stdout(options.output) && isatty(STDOUT_FILENO))
        return complain("-o -", "standard output is a terminal",
                        "name a file with -o FILE");
    if (options.output != NULL && !is_stdout(options.output) &&
        refuse_taken(options.is_forced, options.output) != COMMAND_GO_ON)
        return COMMAND_USAGE;
    if (options.output == NULL && options.is_resident && output_try("") < 0)
        return complain_about_output(".");
    /* Beyond the file size limit write() fails instead of a signal. */
    signal(SIGXFSZ, SIG_IGN);
    return run(&options, (pid_t)atol(name));
}
