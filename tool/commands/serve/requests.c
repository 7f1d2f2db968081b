/* SPDX-License-Identifier: Apache-2.0 */
/*
 * requests.c - see serve_parts.h
 *
 * Slow work is bounded: readings are serial; metrics are refreshed as often as
 * takes a tenth of a CPU, beside the symbols of new programs; one user's
 * metrics have a limit of CPU time; and the number of waits for a difference is
 * limited.
 */
#include "tool/commands/serve/serve_parts.h"

#include <stdatomic.h>

#include "tool/commands/report/report_parts.h"
#include "tool/exporters/exporter.h"

enum {
    MOST_SECONDS = 300,
    MOST_WAITING = 16,
    SHARE = 10,       /* 1/SHARE of the time may go to metrics */
    MOST_OF_USER = 3, /* seconds of the processor for metrics of one user */
};

static const uint64_t second_ns = 1000000000;

static int not_there(const struct web_request *request)
{
    return web_tell(request, 404, "no such page; see /\n");
}

static int has_ended(const struct web_request *request)
{
    return web_tell(request, 410,
                    "the program has ended, or runs another one by exec; / "
                    "lists those that run\n");
}

/* Add a program's metrics; return false if it has ended. */
static bool add_metrics(struct metrics *metrics, struct program *program,
                        uint64_t top)
{
    const struct symbols_search search = { .kept = &program->symbols };
    struct profile *profile = program_profile(program, NULL);
    struct site_names *names;

    if (profile == NULL)
        return false;
    names = site_names_create(profile, &search, DEMANGLE_WITHOUT_ARGUMENTS);
    profile_begin_stacks(profile);
    blame_all(&fold_by_list, profile, names);
    symbols_rest(program->symbols);
    metrics_take(metrics, profile, names, top);
    program_keep(program, profile);
    profile_destroy(profile);
    return true;
}

/* Return true if another user's share of the time for metrics is used up. */
static bool is_spent(const struct program *first, uint32_t user)
{
    uint64_t used = 0;

    for (; first != NULL; first = first->next)
        used += first->user == user ? first->used_ns : 0;
    return user != geteuid() && used > MOST_OF_USER * second_ns;
}

/* With the lock: return the current metrics. */
static const struct metrics *make_metrics(uint64_t top)
{
    static struct metrics metrics;
    static uint64_t due;
    uint64_t began = clock_ns(CLOCK_MONOTONIC);
    uint64_t used = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    size_t count = 0, left_out;
    struct program *first;

    if (began < due)
        return &metrics;
    metrics_free(&metrics);
    first = programs_find();
    left_out = programs_cut >= 0;
    for (struct program *program = first; program != NULL;
         program = program->next)
        program->used_ns = 0;
    for (struct program *program = first; program != NULL;
         program = program->next) {
        bool is_new = program->symbols == NULL;
        uint64_t start = clock_ns(CLOCK_THREAD_CPUTIME_ID);

        if (is_spent(first, program->user)) {
            left_out++;
            continue;
        }
        count += add_metrics(&metrics, program, top);
        program->used_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - start;
        if (is_new) /* the first time also reads its symbols */
            used += program->used_ns;
    }
    metrics_add(&metrics, METRICS_programs, "", (double)count);
    metrics_add(&metrics, METRICS_programs_left_out, "", (double)left_out);
    metrics_add(&metrics, METRICS_serve_cpu_seconds, "",
                (double)clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1e9);
    used = clock_ns(CLOCK_THREAD_CPUTIME_ID) - used;
    due = began + (used * SHARE > second_ns ? used * SHARE : second_ns);
    return &metrics;
}

static int send_metrics(const uint64_t *top, const struct web_request *request)
{
    const char *accepted = web_header(request, "Accept");
    enum metrics_form form =
        accepted != NULL && strcasestr(accepted, "application/openmetrics-text")
            ? METRICS_OPEN
            : METRICS_PROMETHEUS;
    char *text = NULL;
    size_t size = 0;
    FILE *out = memory_or_exit(open_memstream(&text, &size));

    programs_lock();
    metrics_write(make_metrics(*top), form, out);
    programs_unlock();
    fclose(out);
    return web_reply(request, 200, metrics_type(form), text, size);
}

static int send_list(const uint64_t *top, const struct web_request *request)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = memory_or_exit(open_memstream(&text, &size));

    programs_lock();
    make_metrics(*top);
    programs_list(out);
    programs_unlock();
    fclose(out);
    return web_reply(request, 200, "text/html; charset=utf-8", text, size);
}

/* Send the profile, minus `before` unless that is NULL. */
static int send_profile(const struct web_request *request,
                        struct program *program, const struct source *before,
                        enum measure measure)
{
    const struct symbols_search search = { .kept = &program->symbols };
    const struct export_job job = { .measure = measure };
    struct profile *profile;
    char *text = NULL;
    size_t size = 0;

    programs_lock();
    profile = program_profile(program, before);
    if (profile != NULL)
        text = pprof_of(profile, &search, job, &size);
    programs_unlock();
    profile_destroy(profile);
    return text == NULL ? has_ended(request)
                        : web_reply(request, 200, "application/octet-stream",
                                    text, size);
}

/* Send the growth over the requested seconds. */
static int send_difference(const struct web_request *request,
                           struct program *program, uint64_t seconds,
                           enum measure measure)
{
    const struct timespec pause = { 0, 100 * 1000000 };
    const uint64_t end = clock_ns(CLOCK_MONOTONIC) + seconds * second_ns;
    struct source before;
    int result;

    if (!program_read(program, &before))
        return has_ended(request);
    web_take_time(request, (unsigned)seconds);
    while (!web_is_over() && !web_is_gone(request) &&
           clock_ns(CLOCK_MONOTONIC) < end)
        nanosleep(&pause, NULL);
    result = web_is_gone(request)
                 ? 0
                 : send_profile(request, program, &before, measure);
    source_close(&before);
    return result;
}

static int answer_profile(const struct web_request *request,
                          struct program *program, const char *name)
{
    static _Atomic unsigned waiting;
    const char *said = web_argument(request, "seconds");
    enum measure measure =
        strcmp(name, "allocs") == 0 ? MEASURE_TOTAL_BYTES : MEASURE_LIVE_BYTES;
    uint64_t seconds = 0;
    int result;

    if (measure == MEASURE_LIVE_BYTES && strcmp(name, "heap") != 0)
        return not_there(request);
    if (said != NULL && !parse_count(said, MOST_SECONDS, &seconds))
        return web_tell(request, 400, "seconds is a number up to 300\n");
    if (seconds == 0)
        return send_profile(request, program, NULL, measure);
    result = ++waiting > MOST_WAITING
                 ? web_tell(request, 503,
                            "too many requests are waiting; try again later\n")
                 : send_difference(request, program, seconds, measure);
    waiting--;
    return result;
}

static int send_report(const struct web_request *request,
                       struct program *program)
{
    const struct symbols_search search = { .kept = &program->symbols };
    char *text = NULL;
    size_t size = 0;
    FILE *out = memory_or_exit(open_memstream(&text, &size));
    int status;

    programs_lock();
    status = report_write_live(program->number, &search, out);
    if (status == COMMAND_DONE)
        symbols_rest(program->symbols);
    programs_unlock();
    fclose(out);
    if (status == COMMAND_DONE)
        return web_reply(request, 200, "application/json", text, size);
    free(text);
    return has_ended(request);
}

static int answer_program(const struct web_request *request,
                          struct program *program, const char *name)
{
    struct served_page *page;
    int result;

    if (strcmp(name, "report.json") == 0)
        return send_report(request, program);
    page = program_page(program);
    if (page == NULL)
        return has_ended(request);
    result = served_page_answer(page, request, name);
    served_page_close(page);
    return result;
}

/* Answer a path below a program's pid, or of the only program. */
static int answer_of_program(const struct web_request *request, const char *pid,
                             int (*answer)(const struct web_request *request,
                                           struct program *program,
                                           const char *name),
                             const char *name)
{
    struct program *program;
    uint64_t number = 0;
    int result;

    if (pid != NULL && (!parse_count(pid, INT32_MAX, &number) || number == 0))
        return web_tell(request, 400, "a pid is a number; / lists them\n");
    program = programs_take((pid_t)number);
    if (program == NULL)
        return pid == NULL
                   ? web_tell(request, 400, "add ?pid=PID; / lists them\n")
                   : web_tell(request, 404,
                              "no recorded program with that pid is running; / "
                              "lists them\n");
    result = answer(request, program, name);
    program_release(program);
    return result;
}

int serve_answer(void *top, const struct web_request *request)
{
    static const char folder[] = "/program/", profiles[] = "/debug/pprof/";
    const char *path = request->path, *name = path + sizeof folder - 1;
    const char *other = web_argument(request, "process");
    char pid[16] = "";

    if (strcmp(path, "/metrics") == 0)
        return send_metrics(top, request);
    if (strcmp(path, "/") == 0 || strcmp(path, profiles) == 0)
        return send_list(top, request);
    if (strncmp(path, profiles, sizeof profiles - 1) == 0)
        return answer_of_program(request, web_argument(request, "pid"),
                                 answer_profile, path + sizeof profiles - 1);
    if (strncmp(path, folder, sizeof folder - 1) != 0 ||
        strcspn(name, "/") >= sizeof pid || strchr(name, '/') == NULL)
        return not_there(request);
    if (other == NULL)
        memcpy(pid, name, strcspn(name, "/"));
    else
        snprintf(pid, sizeof pid, "%s", other);
    return answer_of_program(request, pid, answer_program,
                             strchr(name, '/') + 1);
}
