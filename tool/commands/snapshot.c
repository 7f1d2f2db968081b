/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot.c - `tally snapshot`: the ledger of this instant, as a file
 *
 * The ledger is copied from outside: the process takes no part in it. Resident
 * memory is as tally record read it last, for the kernel keeps a process from
 * mapping memory while it tells.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/ledger/ledger_reader.h"
#include "tool/commands/options/options.h"
#include "tool/commands/trace/loading.h"
#include "tool/session/find/image_table.h"
#include "tool/session/images/ledger_file.h"
#include "tool/session/images/live_ledger.h"
#include "tool/session/sampling/timeline.h"

struct snapshot_options {
    const char *output; /* NULL: PROGRAM.PID.tally.N */
    bool has_all;
    bool is_quiet;
};

static const struct option_rule rules[] = {
    { "output", 'o', OPTION_NAMES(struct snapshot_options, output) },
    { "all", 'a', OPTION_SETS(struct snapshot_options, has_all) },
    { "quiet", 'q', OPTION_SETS(struct snapshot_options, is_quiet) },
    { 0 },
};

static const struct option_table table = {
    .command = "snapshot",
    .help = help_snapshot,
    .rules = rules,
};

/* Before anything is read. COMMAND_GO_ON, or COMMAND_USAGE. */
static int check_output(const struct snapshot_options *options)
{
    const char *output = options->output;
    struct stat status;

    if (output == NULL)
        return COMMAND_GO_ON;
    if (strcmp(output, "-") == 0) {
        if (options->has_all)
            return complain("--all", "standard output holds one ledger",
                            "name a file with -o FILE");
        return !isatty(STDOUT_FILENO)
                   ? COMMAND_GO_ON
                   : complain("-o -", "standard output is a terminal",
                              "name a file with -o FILE");
    }
    return lstat(output, &status) < 0
               ? COMMAND_GO_ON
               : complain(output, "exists already",
                          "remove it or name another with -o FILE");
}

/* The copy, whole and of the program that the process runs now. */
static int take(const struct live_ledger *ledger,
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
    return COMMAND_DONE;
}

/* PROGRAM.PID.tally */
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

static int write_file(const struct ledger_snapshot *snapshot, const char *path,
                      unsigned number, char written[PATH_MAX])
{
    return ledger_file_write(snapshot, path, number, written) == 0
               ? COMMAND_DONE
               : tell_line("%s: %s; nothing is written, make room or name "
                           "another file with -o FILE",
                           path, strerror(errno));
}

/* To FILE.d/PID-0. One that ends meanwhile is left out. */
static int write_other(const struct live_ledger *ledger, void *first)
{
    char path[IMAGE_PATH_SIZE], written[PATH_MAX];
    struct ledger_snapshot snapshot;
    struct session_failure failure;
    int status = COMMAND_DONE;

    snprintf(path, sizeof path, "%s.d", (const char *)first);
    if (mkdir(path, 0777) < 0 && errno != EEXIST)
        return tell_line("%s: %s; accounts of other processes are not written",
                         path, strerror(errno));
    image_path_write(path, first, ledger->pid, 0);
    if (live_ledger_read(ledger, &snapshot, &failure) < 0)
        return COMMAND_DONE;
    if (live_ledger_is_held(ledger))
        status = write_file(&snapshot, path, 0, written);
    ledger_snapshot_free(&snapshot);
    return status;
}

static int write_all(const struct snapshot_options *options,
                     const struct live_ledger *ledger,
                     const struct ledger_snapshot *snapshot)
{
    char path[PATH_MAX], written[PATH_MAX];
    int status;

    if (options->output != NULL) {
        status = write_file(snapshot, options->output, 0, written);
    } else {
        make_name(snapshot, ledger->pid, path);
        status = write_file(snapshot, path, 1, written);
    }
    if (status == COMMAND_DONE && options->has_all)
        status = live_ledger_each(ledger, write_other, written);
    if (status < 0)
        return tell_line("snapshot: out of memory; accounts of other processes "
                         "are not written");
    if (status == COMMAND_DONE && !options->is_quiet)
        tell_report("next", written);
    return status;
}

static int run(const struct snapshot_options *options,
               const struct live_ledger *ledger)
{
    struct ledger_snapshot snapshot = { 0 };
    int status = take(ledger, &snapshot);

    /* Whether all of it went there is seen when the command ends. */
    if (status == COMMAND_DONE && options->output != NULL &&
        strcmp(options->output, "-") == 0)
        fwrite(snapshot.bytes, 1, snapshot.size, stdout);
    else if (status == COMMAND_DONE)
        status = write_all(options, ledger, &snapshot);
    ledger_snapshot_free(&snapshot);
    return status;
}

int command_snapshot(int argc, char **argv)
{
    struct snapshot_options options = { 0 };
    struct session_failure failure;
    struct live_ledger ledger;
    const char *name;
    int status = options_read(&table, argc, argv, &options);

    if (status == COMMAND_GO_ON)
        status = options_take_one(&table, "process", argc, argv, &name);
    if (status != COMMAND_GO_ON)
        return status;
    if (!is_pid(name))
        return complain(name, "it is no process number",
                        "name a program that runs under tally record");
    status = check_output(&options);
    if (status != COMMAND_GO_ON)
        return status;
    /* Behind a limit writing fails, and says so. */
    signal(SIGXFSZ, SIG_IGN);
    if (live_ledger_open((pid_t)atol(name), &ledger, &failure) < 0)
        return tell_line("%s", failure.text);
    status = run(&options, &ledger);
    live_ledger_close(&ledger);
    return status;
}
