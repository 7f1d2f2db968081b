/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve.c - `tally serve`: serve metrics, profiles and pages of all recorded
 * programs
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "tool/commands/serve/serve_parts.h"
#include "tool/files/files.h"

enum { SHORTEST_TOKEN = 16, LONGEST_TEXT = 1 << 16 };

struct serve_options {
    struct web_listen listen;
    uint64_t top;
    const char *token_file; /* NULL: none */
};

static int take_listen(const char *name, const char *value, void *field)
{
    return web_listen_read(field, value)
               ? COMMAND_GO_ON
               : complain_about_value(
                     name, value,
                     "127.0.0.1:PORT or unix:PATH, and a proxy for other "
                     "machines (nginx or ssh -L, docs/production.md)");
}

static const struct option_rule rules[] = {
    { "listen", OPTION_TAKES(take_listen, struct serve_options, listen) },
    { "top", OPTION_NUMBER(struct serve_options, top, option_parse_count, 0,
                           1000, "a number up to 1000") },
    { "token-file", OPTION_NAMES(struct serve_options, token_file) },
    { 0 },
};

static const struct option_table table = {
    .command = "serve",
    .help = help_serve,
    .rules = rules,
};

/* Read the token's file, or NULL without one. It must not be readable by all
   users. Return COMMAND_USAGE after a complaint. */
static int read_token(const char *path, char **text)
{
    struct stat status;
    int fd = path == NULL ? -1 : regular_file_open(AT_FDCWD, path, O_RDONLY);
    bool is_read = fd >= 0 && fstat(fd, &status) == 0;
    bool is_known = is_read && (status.st_mode & S_IROTH) != 0;

    *text = NULL;
    if (is_read && !is_known) {
        size_t size = status.st_size < LONGEST_TEXT ? (size_t)status.st_size
                                                    : LONGEST_TEXT;

        *text = memory_zeroed(size + 1, 1);
        is_read = regular_file_read(fd, *text, size, 0) == 0;
    }
    if (fd >= 0)
        close(fd);
    if (is_known)
        return complain(path, "all users can read it", "chmod o-r it");
    return path == NULL || is_read ? COMMAND_GO_ON
                                   : complain(path, regular_file_error(),
                                              "name a file that can be read");
}

static void opened(const char *address)
{
    printf("%s\n", address);
    fflush(stdout);
    tell_nothing();
}

static int serve(struct serve_options *options)
{
    OWNED char *token = NULL;
    int status = read_token(options->token_file, &token);
    const char *why;

    if (token != NULL)
        token[strcspn(token, " \t\r\n")] = '\0';
    if (status == COMMAND_GO_ON && token != NULL &&
        strlen(token) < SHORTEST_TOKEN)
        status = complain(options->token_file, "its token is too short",
                          "openssl rand -hex 32 makes one");
    if (status == COMMAND_GO_ON) {
        const struct web_service service = {
            .listen = &options->listen,
            .help = "only this user, root and requests with the token of "
                    "--token-file have access: Authorization: Bearer TOKEN\n",
            .token = token,
            .answer = serve_answer,
            .context = &options->top,
        };

        live_page_take_little();
        status =
            web_serve(&service, opened, &why) == 0
                ? COMMAND_DONE
                : complain("serve", why, "listen elsewhere, with --listen");
    }
    return status;
}

int command_serve(int argc, char **argv)
{
    struct serve_options options = { .listen = { .port = 9799 }, .top = 20 };
    int status = options_read(&table, argc, argv, &options);

    if (status == COMMAND_GO_ON && optind < argc)
        return complain(argv[optind], "tally serve takes no arguments",
                        "leave it out; all recorded programs are served");
    if (status == COMMAND_GO_ON && !web_library_load())
        return complain("libmicrohttpd.so.12", "no such library",
                        "install libmicrohttpd12");
    return status == COMMAND_GO_ON ? serve(&options) : status;
}
