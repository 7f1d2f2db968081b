/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view.c - `tally view`: the page of a recording, or of a program that runs
 */
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tool/commands/options/complaint.h"
#include "tool/commands/options/options.h"
#include "tool/commands/trace/loading.h"
#include "tool/model/names/blame.h"
#include "tool/session/images/live_ledger.h"
#include "tool/text/number.h"
#include "tool/web/page_data.h"
#include "tool/web/serve.h"

/* Blocks of so many bytes are the system's again once a reading is over. */
enum { MAPPED_SIZE = 1 << 16 };

struct view_options {
    struct source_options of;
    const char *source;
    struct web_listen listen;
    bool has_browser; /* --no-browser: the address alone */
    bool has_sources;
    struct symbols *symbols; /* from one reading to the next */
    bool is_shown;           /* what the source held before is in the page */
    char shown[PROCESS_NUMBER_SIZE]; /* of its processes; "": it is one */
    unsigned missed;                 /* so often that one had no ledger */
};

static int take_listen(const char *name, const char *value, void *field)
{
    static const char unix_socket[] = "unix:", loopback[] = "127.0.0.1:";
    struct web_listen *listen = field;
    uint64_t port;

    if (strncmp(value, unix_socket, sizeof unix_socket - 1) == 0 &&
        value[sizeof unix_socket - 1] != '\0') {
        listen->path = value + sizeof unix_socket - 1;
        return COMMAND_GO_ON;
    }
    if (strncmp(value, loopback, sizeof loopback - 1) != 0 ||
        !parse_count(value + sizeof loopback - 1, 65535, &port))
        return complain_about_value(
            name, value,
            "127.0.0.1:PORT or unix:PATH: other machines see "
            "nothing");
    listen->port = (uint16_t)port;
    return COMMAND_GO_ON;
}

static int take_no_browser(const char *name, const char *value, void *whole)
{
    (void)name;
    (void)value;
    ((struct view_options *)whole)->has_browser = false;
    return COMMAND_GO_ON;
}

static const struct option_rule rules[] = {
    { "listen", OPTION_TAKES(take_listen, struct view_options, listen) },
    { "source", OPTION_SETS(struct view_options, has_sources) },
    { "no-browser", OPTION_CALLS_WHOLE(take_no_browser) },
    { 0 },
};

static const struct option_table table = {
    .command = "view",
    .help = help_view,
    .arguments = ARGUMENT_FILE | ARGUMENT_PROCESS,
    .shared = OPTIONS_ALL | OPTIONS_PROCESS | OPTIONS_SYMBOLS |
              OPTIONS_METADATA | OPTIONS_ELF,
    .rules = rules,
};

static void write_profile(struct view_options *options, FILE *out,
                          const struct loading *loading)
{
    struct profile *profile = loading->profile;
    struct site_names *names = site_names_create(profile, &options->of.search,
                                                 DEMANGLE_WITHOUT_ARGUMENTS);
    struct page_process *processes;
    struct page_subject subject = { .title = options->source,
                                    .profile = profile,
                                    .names = names,
                                    .has_sources = options->has_sources };

    profile_begin_stacks(profile);
    subject.frames = blame_all(profile, names);
    symbols_rest(options->symbols);
    subject.processes = processes =
        loading_processes(loading, &subject.process_count);
    page_data_write(out, &subject);
    free(processes);
    frame_names_destroy(subject.frames);
    site_names_destroy(names);
}

/* What becomes of a process. One that runs another program by exec has a ledger
   again soon, if that is recorded. */
static enum web_state look(struct view_options *options)
{
    const char *pid =
        options->shown[0] != '\0' ? options->shown : options->source;
    struct session_failure failure;
    struct live_ledger ledger;

    if (live_ledger_open((pid_t)strtol(pid, NULL, 10), &ledger, &failure) < 0) {
        tell_line("%s: the program has ended; its page stays until Ctrl-C; see "
                  "the file of its tally record",
                  options->source);
        return WEB_ENDED;
    }
    options->missed = live_ledger_is_held(&ledger) ? 0 : options->missed + 1;
    live_ledger_close(&ledger);
    if (options->missed == 2)
        tell_line("%s: it runs another program by exec, which is not recorded; "
                  "its page stays as it was",
                  options->source);
    return options->missed < 2 ? WEB_GOES_ON : WEB_AWAY;
}

/* What it holds now. What was said is not said again. */
static enum web_state write_data(void *context, FILE *out)
{
    struct view_options *options = context;
    struct loading loading = loading_of(options->source, &options->of);
    enum web_state state = options->is_shown ? look(options) : WEB_GOES_ON;
    int status;

    if (options->shown[0] != '\0') /* also when another one holds more now */
        loading.process = options->shown;
    if (state != WEB_GOES_ON || options->missed != 0)
        return state;
    if (options->of.kinds == 0)
        loading.kinds = PROFILE_ALL;
    status = loading_open(&loading);
    if (status == COMMAND_DONE && loading.chosen != NULL)
        process_number(options->shown, loading.chosen);
    if (status == COMMAND_DONE)
        status = loading_sum(&loading);
    if (status == COMMAND_DONE && loading.is_trace &&
        !trace_sum_has_calls(&loading.sum)) {
        const struct page_subject subject = { .title = options->source,
                                              .regions = &loading.sum.regions };

        page_data_write(out, &subject);
    } else if (status == COMMAND_DONE) {
        status = loading_profile(&loading);
        if (status == COMMAND_DONE)
            write_profile(options, out, &loading);
    }
    loading_close(&loading);
    options->is_shown = status == COMMAND_DONE;
    return status == COMMAND_DONE ? WEB_GOES_ON : WEB_ENDED;
}

/* Leads to the address: in the arguments of a command all users would see its
   token. */
static char way[PATH_MAX];

static bool write_way(const char *address)
{
    const char *folder = secure_getenv("XDG_RUNTIME_DIR");
    FILE *file;
    int fd;

    snprintf(way, sizeof way, "%s/tally-view-XXXXXX.html",
             folder != NULL ? folder : "/tmp");
    fd = mkstemps(way, sizeof ".html" - 1);
    file = fd < 0 ? NULL : fdopen(fd, "w");
    if (file == NULL) {
        way[0] = '\0';
        return false;
    }
    fprintf(file,
            "<!doctype html><meta http-equiv=\"refresh\" "
            "content=\"0; url=%s\">\n",
            address);
    return fclose(file) == 0;
}

/* The desktop's own way; where there is none, people open it themselves. */
static void open_browser(const char *address)
{
    pid_t pid;

    if ((secure_getenv("DISPLAY") == NULL &&
         secure_getenv("WAYLAND_DISPLAY") == NULL) ||
        !write_way(address))
        return;
    pid = fork();
    if (pid == 0) {
        sigset_t none;

        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        if (fork() == 0)
            execlp("xdg-open", "xdg-open", way, (char *)NULL);
        _exit(0);
    }
    if (pid > 0)
        waitpid(pid, NULL, 0);
}

static bool opens_browser;

static void opened(const char *address)
{
    printf("%s\n", address);
    fflush(stdout);
    if (opens_browser)
        open_browser(address);
}

int command_view(int argc, char **argv)
{
    struct view_options options = { .has_browser = true };
    struct web_content content = { .write = write_data, .context = &options };
    int status = options_read(&table, argc, argv, &options);
    const char *why;

    if (status == COMMAND_GO_ON)
        status =
            options_take_one(&table, "source", argc, argv, &options.source);
    if (status != COMMAND_GO_ON)
        return status;
    if (strcmp(options.source, "-") == 0)
        return complain("-", "standard input can be read once",
                        "write it to a file first");
    if (!web_library_load())
        return complain("libmicrohttpd.so.12", "no such library",
                        "install libmicrohttpd12, or write the page to a file "
                        "with tally export --to html");
    content.title = options.source;
    content.is_live = is_pid(options.source);
    options.of.search.kept = &options.symbols;
    mallopt(M_MMAP_THRESHOLD, MAPPED_SIZE);
    opens_browser = options.has_browser && options.listen.path == NULL;
    if (web_serve(&options.listen, &content, opened, &why) < 0)
        status = why == NULL ? COMMAND_USAGE
                             : complain(options.listen.path != NULL
                                            ? options.listen.path
                                            : "127.0.0.1",
                                        why, "listen elsewhere, with --listen");
    else
        status = COMMAND_DONE;
    if (way[0] != '\0')
        unlink(way);
    symbols_destroy(options.symbols);
    return status;
}
