/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.c - `tally store`: keep ledgers of many machines in ClickHouse
 */
#include <time.h>

#include "tool/commands/store/store_parts.h"

enum { DEFAULT_KEEP_DAYS = 30, DEFAULT_ROWS = 20, DAY_SECONDS = 86400 };

static const char *const form_names[] = { "table", "json", "csv" };
static const struct word_list form_words = WORDS(form_names);

static int take_days(const char *name, const char *value, void *field)
{
    return parse_count(value, 36500, field) && *(uint64_t *)field > 0
               ? COMMAND_GO_ON
               : complain_about_value(name, value, "a number of days");
}

/* Take a time until now, at most since 1970, where the server's times start. */
static int take_time(const char *name, const char *value, void *field)
{
    const uint64_t *ns = field;

    return parse_duration(value, field) && *ns >= NS &&
                   *ns / NS < (uint64_t)time(NULL)
               ? COMMAND_GO_ON
               : complain_about_value(name, value,
                                      "a time until now, such as 12h or 30d");
}

static int take_label(const char *name, const char *value, void *whole)
{
    struct store_options *options = whole;

    if (value[strcspn(value, "=")] == '\0' || *value == '=')
        return complain_about_value(name, value, "KEY=VALUE");
    if (options->label_count == LABEL_LIMIT)
        return complain(name, "too many of them", "give at most 16");
    options->labels[options->label_count++] = value;
    return COMMAND_GO_ON;
}

static int take_stack(const char *name, const char *value, void *field)
{
    if (!parse_count(value, UINT64_MAX, &(uint64_t){ 0 }))
        return complain_about_value(name, value,
                                    "a stack number from tally store top");
    *(const char **)field = value;
    return COMMAND_GO_ON;
}

static int take_cluster(const char *name, const char *value, void *field)
{
    if (!clickhouse_is_name(value) || strlen(value) > 64)
        return complain_about_value(name, value,
                                    "a name in the servers' remote_servers");
    *(const char **)field = value;
    return COMMAND_GO_ON;
}

static const struct option_rule rules[] = {
    { "db", OPTION_NAMES(struct store_options, db) },
    { "password-file", OPTION_NAMES(struct store_options, password_file) },
    { "cluster", OPTION_TAKES(take_cluster, struct store_options, cluster) },
    { "keep", OPTION_TAKES(take_days, struct store_options, keep) },
    { "service", OPTION_NAMES(struct store_options, question.service) },
    { "service-version", OPTION_NAMES(struct store_options, question.version) },
    { "host", OPTION_NAMES(struct store_options, question.host) },
    { "label", OPTION_TAKES_WHOLE(take_label) },
    { "last", OPTION_TAKES(take_time, struct store_options, last_ns) },
    { "by", OPTION_WORD(struct store_options, question.by, fleet_by_words) },
    { "value",
      OPTION_WORD(struct store_options, question.value, fleet_value_words) },
    { "outliers", OPTION_SETS(struct store_options, has_outliers) },
    { "from-version", OPTION_NAMES(struct store_options, question.from) },
    { "to-version", OPTION_NAMES(struct store_options, question.to) },
    { "since", OPTION_TAKES(take_time, struct store_options, since_ns) },
    { "stack", OPTION_TAKES(take_stack, struct store_options, question.stack) },
    { "output", 'o', OPTION_NAMES(struct store_options, output) },
    { "force", 'f', OPTION_SETS(struct store_options, is_forced) },
    { "format", OPTION_WORD(struct store_options, form, form_words) },
    { 0 },
};

int store_fail(const struct clickhouse *server)
{
    return tell_line("store: %s", server->why);
}

static int init(struct clickhouse *server, const struct store_options *options)
{
    return schema_make(server, options->cluster, options->keep) < 0
               ? store_fail(server)
               : COMMAND_DONE;
}

/* Replace the output only once there is an answer. */
static int write_stacks(struct clickhouse *server,
                        const struct store_options *options,
                        const struct fleet_question *question)
{
    OWNED char *text = NULL;
    size_t size = 0;
    FILE *out;
    int status;

    if (refuse_taken(options->is_forced, options->output) != COMMAND_GO_ON)
        return COMMAND_USAGE;
    out = memory_or_exit(open_memstream(&text, &size));
    status = fleet_stacks(server, question, out);
    if (fclose(out) != 0)
        exit_out_of_memory();
    escape_here(ESCAPE_TABBED, text); /* people read it, too */
    size = strlen(text);
    if (status < 0) {
        status = store_fail(server);
    } else if (make_way(options->is_forced, options->output, NULL) !=
               COMMAND_GO_ON) {
        status = COMMAND_USAGE;
    } else if ((out = fopen(options->output, "wxe")) == NULL) {
        status = complain_about_output(options->output);
    } else {
        size_t written = fwrite(text, 1, size, out);

        if (fclose(out) != 0 || written != size) {
            status = complain_about_output(options->output);
            unlink(options->output);
        } else {
            tell_report("next", options->output);
            status = COMMAND_DONE;
        }
    }
    return status;
}

static int ask(struct clickhouse *server, const struct store_options *options,
               const char *action)
{
    bool is_top = strcmp(action, "top") == 0;
    enum fleet_answer_kind kind = options->has_outliers         ? FLEET_OUTLIERS
                                  : is_top                      ? FLEET_TOP
                                  : strcmp(action, "diff") == 0 ? FLEET_DIFF
                                                                : FLEET_DAYS;
    struct fleet_question question = options->question;
    struct fleet_answer answer;
    int status;

    question.label = options->labels[0];
    question.limit = options->of.row_limit;
    question.seconds = options->last_ns != 0 ? options->last_ns / NS
                       : is_top              ? DAY_SECONDS
                                             : 30 * DAY_SECONDS;
    if (options->since_ns != 0)
        question.since = (uint64_t)time(NULL) - options->since_ns / NS;
    /* Cover at least as much time before it. */
    if (options->last_ns == 0 && question.seconds < 2 * options->since_ns / NS)
        question.seconds = 2 * options->since_ns / NS;
    if (options->output != NULL)
        return write_stacks(server, options, &question);
    status = fleet_ask(server, kind, &question, &answer);
    if (status == 0)
        store_write(&answer, options->form);
    fleet_answer_free(&answer);
    return status == 0 ? COMMAND_DONE : store_fail(server);
}

enum { INIT = 1, ADD = 2, TOP = 4, DIFF = 8, REPORT = 16 };

static const struct {
    const char *name;
    unsigned bit;
} actions[] = { { "init", INIT },
                { "add", ADD },
                { "top", TOP },
                { "diff", DIFF },
                { "report", REPORT } };
static const struct word_list action_words = WORDS(actions);

static const struct option_conflict excludes[] = {
    { "since", "from-version to-version", "a comparison has one baseline",
      "leave out one" },
    { "outliers", "by", "only stacks have outliers", "leave out --by" },
    { 0 },
};

static const struct option_need needs[] = { { "from-version", "to-version" },
                                            { "to-version", "from-version" },
                                            { 0 } };

static const struct option_table table = {
    .command = "store",
    .help = help_store,
    .arguments = ARGUMENT_FILE | ARGUMENT_PROCESS,
    .actions = &action_words,
    .shared = OPTIONS_TOP | OPTIONS_SYMBOLS,
    .rules = rules,
    .excludes = excludes,
    .needs = needs,
};

/* Refuse options that have no effect on this action. */
static int check(const struct store_options *options, const char *action,
                 char **arguments)
{
    const struct fleet_question *asked = &options->question;
    const struct {
        const char *option;
        bool is_given;
        unsigned actions;
    } uses[] = {
        { "--cluster", options->cluster != NULL, INIT },
        { "--keep", options->keep != DEFAULT_KEEP_DAYS, INIT },
        { "--service-version", asked->version != NULL, ADD | TOP | REPORT },
        { "--last", options->last_ns != 0, TOP | DIFF | REPORT },
        { "--by", asked->by != 0, TOP },
        { "--outliers", options->has_outliers, TOP },
        { "--value", asked->value != 0, TOP | DIFF },
        { "--top", options->of.has_row_limit, TOP | DIFF },
        { "--from-version", asked->from != NULL, DIFF },
        { "--to-version", asked->to != NULL, DIFF },
        { "--since", options->since_ns != 0, DIFF },
        { "--stack", asked->stack != NULL, TOP | DIFF | REPORT },
        { "--output", options->output != NULL, REPORT },
        { "--format", options->form != FORM_TABLE, TOP | DIFF | REPORT },
    };
    unsigned bit = actions[words_find(&action_words, action)].bit;

    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        if (uses[i].is_given && (uses[i].actions & bit) == 0)
            return tell_line("%s: not an option of tally store %s; leave it "
                             "out",
                             uses[i].option, action);
    }
    if (bit != ADD && arguments[0] != NULL)
        return tell_line("%s: tally store %s takes no files; leave it out",
                         arguments[0], action);
    if (bit != ADD && options->label_count > 1)
        return complain("--label", "only one can be shown", "give it once");
    if (options->last_ns != 0 && options->since_ns >= options->last_ns)
        return complain("--since", "--last does not reach before it",
                        "give a longer --last");
    return COMMAND_GO_ON;
}

/* Return the first line of the file, for free(); NULL if it cannot be read. */
static char *read_password(const char *path)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t size = 0;

    if (file == NULL || getline(&line, &size, file) < 0) {
        free(line);
        line = NULL;
    } else {
        line[strcspn(line, "\r\n")] = '\0';
    }
    if (file != NULL)
        fclose(file);
    return line;
}

static int run(struct store_options *options, const char *action,
               char **arguments)
{
    const char *password = secure_getenv("TALLY_DB_PASSWORD"), *why;
    struct clickhouse server;
    OWNED char *read = NULL;
    int status;

    if (options->password_file != NULL) {
        password = read = read_password(options->password_file);
        if (read == NULL)
            return complain(options->password_file,
                            "cannot read a password from it",
                            "write it in the first line");
    }
    why = clickhouse_open(&server, options->db, password);
    if (why != NULL)
        status = tell_line("--db: %s", why);
    else if (strcmp(action, "init") == 0)
        status = init(&server, options);
    else if (strcmp(action, "add") == 0)
        status = store_add(&server, options, arguments);
    else
        status = ask(&server, options, action);
    clickhouse_close(&server);
    return status;
}

int command_store(int argc, char **argv)
{
    struct store_options options = { .of = { .row_limit = DEFAULT_ROWS },
                                     .db = secure_getenv("TALLY_DB"),
                                     .keep = DEFAULT_KEEP_DAYS };
    int status = options_read(&table, argc, argv, &options);
    const char *action;

    if (status != COMMAND_GO_ON)
        return status;
    action = argv[optind];
    if (action == NULL)
        return complain("store", "no action is named",
                        "use init, add, top, diff or report");
    if (words_find(&action_words, action) < 0)
        return complain(action, "no such action",
                        "use init, add, top, diff or report");
    status = check(&options, action, argv + optind + 1);
    if (status != COMMAND_GO_ON)
        return status;
    if (options.db == NULL)
        return complain("store", "no server is named",
                        "name it with --db=clickhouse://HOST:PORT/DATABASE, or "
                        "in TALLY_DB");
    return run(&options, action, argv + optind + 1);
}
