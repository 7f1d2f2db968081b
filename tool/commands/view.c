/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view.c - `tally view`: show the page of a recording or a running program
 */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "tool/commands/load/load.h"

struct view_options {
    struct live_page page;
    struct web_listen listen;
    bool has_browser; /* false: --no-browser, print the address only */
};

static int take_listen(const char *name, const char *value, void *field)
{
    return web_listen_read(field, value)
               ? COMMAND_GO_ON
               : complain_about_value(
                     name, value,
                     "127.0.0.1:PORT or unix:PATH: other machines see "
                     "nothing");
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
    { "source", OPTION_SETS(struct view_options, page.has_sources) },
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

/* File that redirects to the URL: all users would see the token in a command's
   arguments. */
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

/* Open the browser by the desktop's command, if there is one. */
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
        live_page_take_as_before();
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

/* The page of one process. The first is followed by those that ?process= asked
   for, which are read one at a time. */
struct process_page {
    struct process_page *next;
    char *process; /* as it was asked for, or NULL */
    struct live_page source;
    struct symbols *symbols; /* kept between readings */
    struct served_page *page;
};

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static enum web_state write_page(void *source, FILE *out)
{
    enum web_state state;

    pthread_mutex_lock(&lock);
    state = live_page_write(source, out);
    pthread_mutex_unlock(&lock);
    return state;
}

static void close_pages(struct process_page *page)
{
    while (page != NULL) {
        struct process_page *next = page->next;

        if (page->page != NULL)
            served_page_close(page->page);
        symbols_destroy(page->symbols);
        free(page->process);
        free(page);
        page = next;
    }
}

/* Return the page of a process, or NULL after a complaint. */
static struct process_page *open_page(const struct live_page *source,
                                      const char *process)
{
    struct process_page *page = memory_zeroed(1, sizeof *page);
    struct web_content content = { .title = source->source,
                                   .write = write_page,
                                   .context = &page->source,
                                   .is_live = is_pid(source->source) };

    page->source = (struct live_page){ .of = source->of,
                                       .source = source->source,
                                       .has_sources = source->has_sources };
    page->source.of.choice.search.kept = &page->symbols;
    if (process != NULL) {
        page->source.of.process = page->process = memory_text(process);
        page->source.of.has_all = false;
    }
    page->page = served_page_open(&content);
    if (page->page != NULL)
        return page;
    close_pages(page);
    return NULL;
}

/* Return the page of a process, opened at its first request; NULL: none. A glob
   is refused: each image has one or two names, so that pages are limited. */
static struct process_page *find_page(struct process_page *first,
                                      const char *process)
{
    struct process_page *page = first->next;

    while (page != NULL && strcmp(page->process, process) != 0)
        page = page->next;
    if (page != NULL || strspn(process, "0123456789-") != strlen(process))
        return page;
    page = open_page(&first->source, process);
    if (page != NULL) {
        page->next = first->next;
        first->next = page;
    }
    return page;
}

static int answer(void *first, const struct web_request *request)
{
    const char *process = web_argument(request, "process");
    struct process_page *page = first;

    if (process != NULL) {
        pthread_mutex_lock(&lock);
        page = find_page(first, process);
        pthread_mutex_unlock(&lock);
    }
    return page == NULL
               ? web_tell(request, 404, "no such process in the recording\n")
               : served_page_answer(page->page, request, request->path + 1);
}

/* Serve the page; return COMMAND_USAGE after a complaint. */
static int serve(const struct view_options *options, struct process_page *page)
{
    const struct web_service service = {
        .listen = &options->listen,
        .help = "open the address that tally view printed\n",
        .has_way = true,
        .answer = answer,
        .context = page,
    };
    const char *why;

    return web_serve(&service, opened, &why) == 0
               ? COMMAND_DONE
               : complain(options->listen.path != NULL ? options->listen.path
                                                       : "127.0.0.1",
                          why, "listen elsewhere, with --listen");
}

int command_view(int argc, char **argv)
{
    struct view_options options = { .has_browser = true };
    struct live_page *source = &options.page;
    int status = options_read(&table, argc, argv, &options);
    struct process_page *page;

    if (status == COMMAND_GO_ON)
        status =
            options_take_one(&table, "source", argc, argv, &source->source);
    if (status != COMMAND_GO_ON)
        return status;
    if (strcmp(source->source, "-") == 0)
        return complain("-", "standard input can be read once",
                        "write it to a file first");
    if (!web_library_load())
        return complain("libmicrohttpd.so.12", "no such library",
                        "install libmicrohttpd12, or write the page to a file "
                        "with tally export --to html");
    live_page_take_little();
    opens_browser = options.has_browser && options.listen.path == NULL;
    page = open_page(source, source->of.process);
    status = page == NULL ? COMMAND_USAGE : serve(&options, page);
    close_pages(page);
    if (way[0] != '\0')
        unlink(way);
    return status;
}
