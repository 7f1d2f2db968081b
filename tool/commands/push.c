/* SPDX-License-Identifier: Apache-2.0 */
/*
 * push.c - `tally push`: send profiles of programs to a server, at an interval
 *
 * A profile has live memory, and the memory allocated since the previous
 * profile, whose ledger lies in the spool as well. The new ledger is written
 * before the profile, to have room, and replaces the old one after it. If push
 * is killed in between, the next profile starts where that one started, and
 * replaces it by name; neither was sent yet.
 *
 * This file is long because programs, the spool and the receiver meet in one
 * loop.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/wait.h>

#include "tool/commands/load/load.h"
#include "tool/exporters/exporter.h"
#include "tool/files/files.h"
#include "tool/model/sources/sources.h"
#include "tool/push/push.h"

#define SECOND UINT64_C(1000000000)

enum {
    REQUEST_SECONDS = 10,
    LAST_SECONDS = 5,  /* seconds after Ctrl-C */
    REST_SECONDS = 60, /* seconds for the rest when all programs have ended */
    MOST_DELAY = 64,
    MOST_WAIT = 3600, /* seconds, by the receiver's Retry-After */
    SPOOL_SIZE = 64 << 20,
};

/* Watched process image. */
struct target {
    struct live_ledger ledger;
    struct source before; /* ledger of the previous profile */
};

struct push {
    struct source_options of;
    struct push_sender sender;
    struct push_spool spool;
    const char *folder; /* of the spool */
    bool is_passing;    /* removed at exit */
    uint64_t every, spool_size;
    char *labels; /* ",KEY=VALUE" for each label */
    const char *service;
    struct symbols *symbols;
    const char *wish; /* name of programs to find */
    struct target *targets;
    size_t target_count;
    uint64_t begin_ns, sent, refused;
    uint64_t next_ns; /* time of the next try */
    uint64_t delay;   /* delay of further tries; 0: the receiver answers */
    bool is_ended;    /* ended by a signal that run() has handled */
};

static int take_url(const char *name, const char *value, void *field)
{
    const char *host = strstr(value, "://");

    if ((strncasecmp(value, "http://", 7) != 0 &&
         strncasecmp(value, "https://", 8) != 0) ||
        strchr(value, '#') != NULL)
        return complain_about_value(name, value,
                                    "http:// or https://, without #");
    if (memchr(host + 3, '@', strcspn(host + 3, "/?")) != NULL)
        return complain(name, "all users see command arguments",
                        "give credentials with --headers=FILE");
    *(const char **)field = value;
    return COMMAND_GO_ON;
}

static const int endings[] = { SIGINT, SIGTERM, SIGHUP };
static struct {
    sigset_t heard;    /* signals; those ignored, as by nohup, stay so */
    uint64_t taken_ns; /* time of the first one; 0: none */
} ending;

static void wait_for_ending(uint64_t ns)
{
    const struct timespec time = { (time_t)(ns / SECOND), (long)(ns % SECOND) };

    if (sigtimedwait(&ending.heard, NULL, &time) > 0) {
        /* A second signal ends tally. */
        sigprocmask(SIG_UNBLOCK, &ending.heard, NULL);
        ending.taken_ns = clock_ns(CLOCK_MONOTONIC);
    }
}

/* Return true if the request must be given up. After a signal it has time to be
   answered: it may have arrived, and would be sent twice. */
static bool gives_up(void)
{
    if (ending.taken_ns == 0)
        wait_for_ending(0);
    return ending.taken_ns != 0 &&
           clock_ns(CLOCK_MONOTONIC) >= ending.taken_ns + LAST_SECONDS * SECOND;
}

static int take_label(const char *name, const char *value, void *whole)
{
    static const char service[] = "service_name=";
    struct push *push = whole;
    char *labels = push->labels;
    size_t length = strcspn(value, ",={} \n");

    if (length == 0 || value[length] != '=' || value[length + 1] == '\0' ||
        value[length + 1 + strcspn(value + length + 1, ",={} \n")] != '\0')
        return complain_about_value(name, value,
                                    "KEY=VALUE, without a space or any of "
                                    ",={}");
    if (strncmp(value, "pid=", 4) == 0 || strncmp(value, "hostname=", 9) == 0)
        return complain_about_value(name, value,
                                    "another key; pid and hostname are there "
                                    "already");
    if (strncmp(value, service, sizeof service - 1) == 0) {
        push->service = value + sizeof service - 1;
        return COMMAND_GO_ON;
    }
    push->labels = memory_print("%s,%s", labels, value);
    free(labels);
    return COMMAND_GO_ON;
}

static const struct option_rule rules[] = {
    { "to", OPTION_TAKES(take_url, struct push, sender.url) },
    { "every", OPTION_NUMBER(struct push, every, parse_duration, SECOND,
                             86400 * SECOND, "1s to 1d") },
    { "spool", OPTION_NAMES(struct push, folder) },
    { "spool-size", OPTION_NUMBER(struct push, spool_size, parse_bytes, 0,
                                  UINT64_MAX, OPTION_BYTES) },
    { "label", OPTION_TAKES_WHOLE(take_label) },
    { "headers", OPTION_NAMES(struct push, sender.headers) },
    { 0 },
};

static const struct option_table table = {
    .command = "push",
    .help = help_push,
    .arguments = ARGUMENT_FILE | ARGUMENT_PROCESS,
    .shared = OPTIONS_SYMBOLS,
    .rules = rules,
};

static void tell_full(const struct push *push)
{
    tell_line("%s: %s; the next profile covers this time, too", push->folder,
              strerror(errno));
}

/* Finish the profile and add it to the spool; return false after a
   complaint. */
static bool spool_profile(struct push *push, struct profile *profile,
                          bool is_file)
{
    const struct profile_image *image = profile->images;
    const struct export_job job = { .has_inherited = true };
    struct push_profile made = {
        .from_ns = profile->since_ns != 0 ? profile->since_ns : image->start_ns,
    };
    FILE *uuid = fopen("/proc/sys/kernel/random/uuid", "re");
    char host[64] = "", file[32], *bytes, *name;
    OWNED char *program = memory_text(base_name(image->program));
    bool is_there;

    profile_finish(profile);
    made.until_ns = made.from_ns + profile->duration_ns;
    if (uuid == NULL || fscanf(uuid, "%36s", made.id) != 1)
        strcpy(made.id, "-");
    if (uuid != NULL)
        fclose(uuid);
    for (char *at = program; *(at += strcspn(at, ",={} \n")) != '\0';)
        *at = '_';
    gethostname(host, sizeof host - 1);
    made.name = name =
        memory_print("%s{hostname=%s,pid=%" PRIu32 "%s}",
                     push->service == NULL ? program : push->service, host,
                     image->pid, push->labels);
    escape_here(ESCAPE_TERMINAL, name);
    made.bytes = bytes =
        pprof_of(profile, &push->of.choice.search, job, &made.size);
    snprintf(file, sizeof file, "%016" PRIx64 "%08" PRIx32 ".push",
             made.from_ns,
             /* Snapshots of one process begin at the same time. */
             is_file ? (uint32_t)(profile->duration_ns / 1000000) : image->pid);
    is_there = push_spool_add(&push->spool, file, &made) == 0;
    if (!is_there)
        tell_full(push);
    free(bytes);
    free(name);
    return is_there;
}

/* Read a target. The first reading of a program that ran before is the base of
   later ones. Return false if the process has ended or runs another program. */
static bool look(struct push *push, struct target *target)
{
    bool goes_on = live_ledger_is_alive(&target->ledger) &&
                   live_ledger_is_held(&target->ledger);
    struct profile *profile = profile_create();
    struct ledger_snapshot snapshot = { 0 };
    struct session_failure unread;
    struct source_failure failure;
    char path[PATH_MAX], fresh[PATH_MAX], written[PATH_MAX];
    bool is_first, is_kept;

    if (live_ledger_read(&target->ledger, &snapshot, &unread) < 0 ||
        load_ledger(snapshot.bytes, snapshot.size, profile, &failure) < 0) {
        ledger_snapshot_free(&snapshot);
        profile_destroy(profile);
        return false;
    }
    snprintf(fresh, sizeof fresh, "%s/push.accounts", push->folder);
    snprintf(path, sizeof path, "%s/%ld-%016" PRIx64 ".tally", push->folder,
             (long)target->ledger.pid, profile->images[0].start_ns);
    regular_file_only(true); /* signals are blocked */
    if (target->before.bytes == NULL && access(path, F_OK) == 0)
        source_open_file(&target->before, path, &failure);
    regular_file_only(false);
    is_first = target->before.bytes == NULL ||
               load_ledger_earlier(target->before.bytes, target->before.size,
                                   profile, &failure) < 0;
    unlink(fresh);
    is_kept = push->is_passing ||
              ledger_file_write(&snapshot, fresh, 0, written) == 0;
    if (!is_kept)
        tell_full(push);
    if ((is_first && profile->images[0].start_ns < push->begin_ns) ||
        (is_kept && spool_profile(push, profile, false))) {
        rename(fresh, path);
        source_close(&target->before);
        source_open_bytes(&target->before, snapshot.bytes, snapshot.size);
    } else
        ledger_snapshot_free(&snapshot);
    profile_destroy(profile);
    return goes_on;
}

static void add(struct push *push, const struct live_ledger *ledger)
{
    struct target target = { .ledger = *ledger };

    for (size_t i = 0; i < push->target_count; i++) {
        if (push->targets[i].ledger.pid == ledger->pid &&
            push->targets[i].ledger.offset == ledger->offset)
            return;
    }
    target.ledger.fd = fcntl(ledger->fd, F_DUPFD_CLOEXEC, 0);
    if (target.ledger.fd >= 0)
        ARRAY_ADD(push->targets, push->target_count, target);
}

/* Add a process unless its ledger is of a program that it ran before. Return
   false if it is not recorded. */
static bool add_process(struct push *push, pid_t pid)
{
    struct session_failure failure;
    struct live_ledger ledger;

    if (live_ledger_open(pid, &ledger, &failure) < 0)
        return false;
    if (live_ledger_is_held(&ledger))
        add(push, &ledger);
    live_ledger_close(&ledger);
    return true;
}

static void add_if_wished(const struct live_program *found, void *context)
{
    struct push *push = context;
    char name[256];

    process_status_words(found->ledger.pid, "Name:\t", name);
    if (glob_matches(push->wish, name))
        add(push, &found->ledger);
}

static void remove_target(struct push *push, size_t number)
{
    live_ledger_close(&push->targets[number].ledger);
    source_close(&push->targets[number].before);
    push->targets[number] = push->targets[--push->target_count];
}

/* Return true if the name means a file. A program's own file in this folder is
   not meant. */
static bool means_file(const char *name)
{
    return strchr(name, '/') != NULL ||
           (access(name, F_OK) == 0 &&
            (access(name, X_OK) < 0 || is_ledger_file(name)));
}

static int take_file(struct push *push, const char *name)
{
    struct profile *profile = profile_create();
    int status = open_profile(name, profile);

    if (status == COMMAND_DONE && profile->image_count == 0)
        status = complain(name, "not a Tally recording",
                          "name a file of tally record or snapshot");
    if (status == COMMAND_DONE && !spool_profile(push, profile, true))
        status = COMMAND_USAGE;
    profile_destroy(profile);
    return status;
}

/* Add a recording, which is sent once. */
static int take_files(struct push *push, const char *name)
{
    struct image_list others;
    int status = take_file(push, name);

    images_open(&others, name);
    regular_file_only(true);
    for (size_t i = 0; i < others.file_count && status == COMMAND_DONE; i++)
        status = take_file(push, others.files[i].path);
    regular_file_only(false);
    images_close(&others);
    return status;
}

/* Read all targets; return true if more profiles may come. */
static bool look_at_all(struct push *push, char **names)
{
    bool is_waiting = false;

    for (; *names != NULL; names++) {
        push->wish = *names;
        if (is_pid(*names)) {
            is_waiting |= add_process(push, (pid_t)atol(*names));
        } else if (!means_file(*names)) {
            find_programs(add_if_wished, push);
            is_waiting = true;
        }
    }
    for (size_t i = push->target_count; i-- > 0;) {
        if (!look(push, &push->targets[i]))
            remove_target(push, i);
    }
    return is_waiting || push->target_count != 0;
}

/* Send the oldest profile of the spool; return false to try later. */
static bool send_one(struct push *push, const struct push_profile *profile)
{
    struct http_answer answer;
    enum push_result result = push_send(&push->sender, profile, &answer);

    if (result == PUSH_LATER && ending.taken_ns != 0 && !push->is_ended)
        return false; /* sent again */
    if (result == PUSH_LATER) {
        if (push->delay == 0)
            tell_line("%s: %s; profiles wait in %s", push->sender.url,
                      answer.why, push->folder);
        push->delay = push->delay == 0                    ? SECOND
                      : push->delay < MOST_DELAY * SECOND ? 2 * push->delay
                                                          : push->delay;
        /* Random delays spread the senders that lost the same receiver. */
        push->next_ns = push->delay / 2 + (uint64_t)random() % push->delay;
        if (answer.retry_after > MOST_WAIT)
            answer.retry_after = MOST_WAIT;
        if (push->next_ns < answer.retry_after * SECOND)
            push->next_ns = answer.retry_after * SECOND;
        push->next_ns += clock_ns(CLOCK_MONOTONIC);
        return false;
    }
    if (push->delay != 0)
        tell_line("%s: available again", push->sender.url);
    if (result == PUSH_REFUSED && push->refused == 0)
        tell_line("%s: %s; refused profiles are dropped", push->sender.url,
                  answer.why);
    push->refused += result == PUSH_REFUSED;
    push->sent += result == PUSH_ACCEPTED;
    push->delay = push->next_ns = 0;
    push_spool_remove(&push->spool);
    return true;
}

static uint64_t patience(const struct push *push)
{
    return (push->is_ended ? LAST_SECONDS : REST_SECONDS) * SECOND;
}

/* Run until all is sent; after a signal send each profile once, until one is
   not accepted. */
static void run(struct push *push, char **names)
{
    uint64_t next = 0, end = UINT64_MAX;
    bool goes_on = true;
    struct push_profile profile;

    for (;;) {
        uint64_t now = clock_ns(CLOCK_MONOTONIC), until;
        bool has_profile;

        if (!push->is_ended && ending.taken_ns != 0) {
            push->is_ended = true;
            push->sender.seconds = LAST_SECONDS;
            push->sender.is_over = NULL;
            push->next_ns = next = 0;
        }
        if (goes_on && now >= next) {
            goes_on = look_at_all(push, names) && !push->is_ended;
            next = now + push->every;
            if (!goes_on)
                end = now + patience(push);
        }
        has_profile = push_spool_read(&push->spool, &profile);
        if ((!has_profile && !goes_on) || now >= end)
            return;
        if (has_profile && now >= push->next_ns) {
            if (send_one(push, &profile)) {
                if (!goes_on) /* extend the time while the receiver accepts */
                    end = clock_ns(CLOCK_MONOTONIC) + patience(push);
            } else if (push->is_ended)
                return;
        }
        until = goes_on ? next : end;
        if (has_profile && push->next_ns < until)
            until = push->next_ns;
        now = clock_ns(CLOCK_MONOTONIC);
        if (ending.taken_ns == 0)
            wait_for_ending(until > now ? until - now : 0);
    }
}

static int tell_end(struct push *push)
{
    struct push_profile profile;
    bool is_left = push_spool_read(&push->spool, &profile);

    tell_line("push: sent %s, dropped %s, refused %s%s%s", NUMBER(push->sent),
              NUMBER(push->spool.dropped), NUMBER(push->refused),
              is_left ? "; others wait in " : "", is_left ? push->folder : "");
    return is_left || push->spool.dropped + push->refused != 0 ? COMMAND_NO
                                                               : COMMAND_DONE;
}

/* Check that all sources exist; programs of a name may start later. */
static int check_names(struct push *push, char **names)
{
    int status = COMMAND_DONE;

    push->sender.client = http_client_open();
    if (push->sender.client == NULL)
        return tell_line(HTTP_CLIENT_ABSENT);
    if (!http_url_is_valid(push->sender.url))
        return complain_about_value("to", push->sender.url,
                                    "such as http://host:4040/ingest");
    if (push->sender.headers != NULL && access(push->sender.headers, R_OK) < 0)
        return complain(push->sender.headers, strerror(errno),
                        "name a file of lines NAME: VALUE with --headers");
    for (; *names != NULL && status == COMMAND_DONE; names++) {
        struct live_ledger ledger = { .fd = -1 };

        if (is_pid(*names)) {
            status = open_process(*names, &ledger);
            live_ledger_close(&ledger);
        } else if (means_file(*names))
            status = take_files(push, *names);
    }
    return status;
}

/* Temporary spool, removed also when a second signal ends tally at any
   point. */
static char passing[] = "/tmp/tally-push-XXXXXX";

static void end_here(int number)
{
    pid_t pid = vfork(); /* fork() may wait for a lock that is held */

    if (pid == 0) {
        execl("/bin/rm", "rm", "-rf", passing, NULL);
        _exit(1);
    }
    waitpid(pid, NULL, 0);
    signal(number, SIG_DFL);
    raise(number);
}

static void hear_endings(void)
{
    struct sigaction held;

    sigemptyset(&ending.heard);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        if (sigaction(endings[i], NULL, &held) == 0 &&
            held.sa_handler != SIG_IGN)
            sigaddset(&ending.heard, endings[i]);
    }
}

static void handle_endings(void (*handler)(int))
{
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        if (sigismember(&ending.heard, endings[i]) == 1)
            signal(endings[i], handler);
    }
}

static int push_all(struct push *push, char **names)
{
    int status;
    struct push_profile left;

    if (push->sender.url == NULL || (*names == NULL && push->folder == NULL))
        return complain("push",
                        push->sender.url != NULL ? "no source is named"
                                                 : "no receiver is named",
                        "see tally push --help");
    signal(SIGPIPE, SIG_IGN);
    hear_endings();
    push->is_passing = push->folder == NULL;
    if (push->is_passing)
        handle_endings(end_here);
    sigprocmask(SIG_BLOCK, &ending.heard, NULL);
    push->folder = push->is_passing ? mkdtemp(passing) : push->folder;
    if (push->folder == NULL ||
        push_spool_open(&push->spool, push->folder, push->spool_size) < 0)
        return complain(push->folder == NULL ? passing : push->folder,
                        errno == EWOULDBLOCK ? "another tally push uses it"
                                             : strerror(errno),
                        "name a private folder with --spool=DIR");
    push->of.choice.search.kept = &push->symbols;
    srandom((unsigned)push->begin_ns);
    /* A file may be a pipe: let a signal end tally while it is read. */
    sigprocmask(SIG_UNBLOCK, &ending.heard, NULL);
    status = check_names(push, names);
    sigprocmask(SIG_BLOCK, &ending.heard, NULL);
    if (status == COMMAND_DONE)
        run(push, names);
    for (; push->is_passing && push_spool_read(&push->spool, &left);
         push->spool.dropped++)
        push_spool_remove(&push->spool);
    if (status == COMMAND_DONE)
        status = tell_end(push);
    while (push->target_count > 0)
        remove_target(push, 0);
    push_spool_close(&push->spool);
    if (push->is_passing) {
        /* The name is free for others from now on. */
        handle_endings(SIG_DFL);
        rmdir(push->folder);
    }
    http_client_close(push->sender.client);
    symbols_destroy(push->symbols);
    free(push->targets);
    return status;
}

int command_push(int argc, char **argv)
{
    struct push push = { .every = 15 * SECOND,
                         .spool_size = SPOOL_SIZE,
                         .labels = memory_text(""),
                         .sender.seconds = REQUEST_SECONDS,
                         .sender.is_over = gives_up,
                         .begin_ns = clock_ns(CLOCK_REALTIME) };
    int status = options_read(&table, argc, argv, &push);

    if (status == COMMAND_GO_ON)
        status = push_all(&push, argv + optind);
    free(push.labels);
    return status;
}
