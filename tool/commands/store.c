/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.c - `tally store`: ledgers of many machines, in ClickHouse
 *
 * A file that cannot be read does not keep the others out of the store.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tool/commands/options/complaint.h"
#include "tool/commands/options/options.h"
#include "tool/commands/trace/loading.h"
#include "tool/files/regular_file.h"
#include "tool/fleet/answers.h"
#include "tool/fleet/batch.h"
#include "tool/fleet/schema.h"
#include "tool/render/json.h"
#include "tool/render/table.h"
#include "tool/text/number.h"

enum { LABEL_LIMIT = 16, DEFAULT_KEEP_DAYS = 30, DEFAULT_ROWS = 20 };
enum { NS = 1000000000, DAY_SECONDS = 86400 };
enum form { FORM_TABLE, FORM_JSON, FORM_CSV };

static const char *const form_names[] = { "table", "json", "csv" };
static const struct word_list form_words = WORDS(form_names);

struct store_options {
    struct source_options of;
    const char *db, *password_file;
    const char *cluster, *service, *version, *host, *stack, *output;
    const char *from, *to, *labels[LABEL_LIMIT];
    size_t label_count;
    uint64_t keep, last_ns, since_ns;
    unsigned by, value, form;
    bool has_outliers, is_forced;
};

static int take_days(const char *name, const char *value, void *field)
{
    return parse_count(value, 36500, field) && *(uint64_t *)field > 0
               ? COMMAND_GO_ON
               : complain_about_value(name, value, "a number of days");
}

static int take_time(const char *name, const char *value, void *field)
{
    return parse_duration(value, field) && *(uint64_t *)field >= NS
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
        return complain(name, "it is given too often", "16 times is the most");
    options->labels[options->label_count++] = value;
    return COMMAND_GO_ON;
}

static int take_stack(const char *name, const char *value, void *field)
{
    if (!parse_count(value, UINT64_MAX, &(uint64_t){ 0 }))
        return complain_about_value(name, value,
                                    "a number that tally store top shows");
    *(const char **)field = value;
    return COMMAND_GO_ON;
}

static int take_cluster(const char *name, const char *value, void *field)
{
    if (!clickhouse_is_name(value) || strlen(value) > 64)
        return complain_about_value(name, value,
                                    "a name of the servers' remote_servers");
    *(const char **)field = value;
    return COMMAND_GO_ON;
}

static const struct option_rule rules[] = {
    { "db", OPTION_NAMES(struct store_options, db) },
    { "password-file", OPTION_NAMES(struct store_options, password_file) },
    { "cluster", OPTION_TAKES(take_cluster, struct store_options, cluster) },
    { "keep", OPTION_TAKES(take_days, struct store_options, keep) },
    { "service", OPTION_NAMES(struct store_options, service) },
    { "service-version", OPTION_NAMES(struct store_options, version) },
    { "host", OPTION_NAMES(struct store_options, host) },
    { "label", OPTION_TAKES_WHOLE(take_label) },
    { "last", OPTION_TAKES(take_time, struct store_options, last_ns) },
    { "by", OPTION_WORD(struct store_options, by, fleet_by_words) },
    { "value", OPTION_WORD(struct store_options, value, fleet_value_words) },
    { "outliers", OPTION_SETS(struct store_options, has_outliers) },
    { "from-version", OPTION_NAMES(struct store_options, from) },
    { "to-version", OPTION_NAMES(struct store_options, to) },
    { "since", OPTION_TAKES(take_time, struct store_options, since_ns) },
    { "stack", OPTION_TAKES(take_stack, struct store_options, stack) },
    { "output", 'o', OPTION_NAMES(struct store_options, output) },
    { "force", 'f', OPTION_SETS(struct store_options, is_forced) },
    { "format", OPTION_WORD(struct store_options, form, form_words) },
    { 0 },
};

static int fail(const struct clickhouse *server)
{
    return tell_line("store: %s", server->why);
}

static int init(struct clickhouse *server, const struct store_options *options,
                char **arguments)
{
    if (arguments[0] != NULL)
        return complain(arguments[0], "tally store init takes no files",
                        "leave it out");
    return schema_make(server, options->cluster, options->keep) < 0
               ? fail(server)
               : COMMAND_DONE;
}

/* When it was read, of a file. */
static uint64_t time_of(const struct profile *profile, bool is_live)
{
    const struct profile_image *image = &profile->images[0];
    uint64_t ns = image->start_ns + profile->duration_ns;

    return is_live ? (uint64_t)time(NULL)
                   : (ns > image->end_ns ? ns : image->end_ns) / NS;
}

struct adding {
    const struct store_options *options;
    struct batch *batch;
    struct clickhouse *server;
    char host[256];
    bool has_failed; /* the store, not a file */
    int status;
};

static void add_profile(struct adding *adding, const char *name,
                        struct profile *profile)
{
    const struct store_options *options = adding->options;
    struct snapshot_owner owner = {
        .service = options->service,
        .version = options->version == NULL ? "" : options->version,
        .host = options->host == NULL ? adding->host : options->host,
        .labels = options->labels,
        .label_count = options->label_count,
    };

    profile_finish(profile);
    if (profile->image_count != 1 || !profile->has_stacks) {
        adding->status =
            complain(name, "it is not the ledger of one process",
                     "name what tally record or tally snapshot wrote");
        return;
    }
    if (owner.service == NULL)
        owner.service = base_name(profile->images[0].program);
    note_losses(name, profile);
    if (batch_add(adding->batch, &owner, profile,
                  time_of(profile, is_pid(name))) < 0) {
        adding->has_failed = true;
    }
}

static void add_one(struct adding *adding, const char *name)
{
    struct profile *profile = profile_create();
    int status;

    profile->kinds = PROFILE_ALL;
    status = open_profile(name, profile);
    profile_begin_stacks(profile);
    if (status == COMMAND_DONE)
        add_profile(adding, name, profile);
    else
        adding->status = status;
    profile_destroy(profile);
}

static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void add(struct adding *adding, const char *name)
{
    struct dirent **entries;
    struct stat facts;
    int count;

    if (is_pid(name) || stat(name, &facts) < 0 || !S_ISDIR(facts.st_mode)) {
        add_one(adding, name);
        return;
    }
    count = scandir(name, &entries, is_shown, alphasort);
    if (count < 0) {
        adding->status = complain(name, strerror(errno), "name another folder");
        return;
    }
    regular_file_only(true);
    for (int i = 0; i < count; i++) {
        char *path = memory_print("%s/%s", name, entries[i]->d_name);

        if (!adding->has_failed)
            add_one(adding, path);
        free(path);
        free(entries[i]);
    }
    regular_file_only(false);
    free(entries);
}

static int add_all(struct clickhouse *server,
                   const struct store_options *options, char **arguments)
{
    struct adding adding = { .options = options, .server = server };
    uint64_t samples, snapshots;

    if (arguments[0] == NULL)
        return complain("store add", "no file, folder or process is named",
                        "see tally store --help");
    gethostname(adding.host, sizeof adding.host - 1);
    adding.batch = batch_open(server, &options->of.search);
    for (; *arguments != NULL && !adding.has_failed; arguments++)
        add(&adding, *arguments);
    if (adding.has_failed || batch_flush(adding.batch) < 0)
        adding.status = tell_line("store: %s; add all of it again: what is "
                                  "there counts once",
                                  server->why);
    batch_counts(adding.batch, &samples, &snapshots);
    batch_close(adding.batch);
    printf("%s snapshot%s with %s sample%s %s in the store\n",
           NUMBER(snapshots), number_plural(snapshots), NUMBER(samples),
           number_plural(samples), snapshots == 1 ? "is" : "are");
    return adding.status;
}

static const char *cell_of(const struct fleet_answer *answer, size_t row,
                           size_t column)
{
    return answer->cells[row * answer->column_count + column];
}

static void write_table(const struct fleet_answer *answer, size_t rows)
{
    struct table_column columns[TABLE_COLUMNS];
    struct table *table;

    for (size_t i = 0; i < answer->column_count; i++) {
        enum fleet_figure figure = answer->columns[i].figure;

        columns[i] =
            (struct table_column){ answer->columns[i].title,
                                   figure == FLEET_TEXT ? TABLE_LEFT
                                                        : TABLE_RIGHT };
    }
    table = table_create(columns, (unsigned)answer->column_count);
    for (size_t row = 0; row < rows; row++) {
        for (size_t i = 0; i < answer->column_count; i++) {
            const char *cell = cell_of(answer, row, i);
            int64_t number = strtoll(cell, NULL, 10);
            char text[NUMBER_SIZE];

            if (answer->columns[i].figure == FLEET_NUMBER)
                cell = number_signed(text, number);
            else if (answer->columns[i].figure == FLEET_GROWTH)
                cell = number_growth(text, number);
            table_add(table, cell);
        }
    }
    table_show(table, TERMINAL_COLOR_AUTO);
}

static void write_json(const struct fleet_answer *answer, size_t rows)
{
    struct json json = { .out = stdout };

    json_begin(&json, NULL, JSON_OBJECT);
    json_version(&json);
    json_begin(&json, "rows", JSON_ARRAY);
    for (size_t row = 0; row < rows; row++) {
        json_begin(&json, NULL, JSON_LINE_OBJECT);
        for (size_t i = 0; i < answer->column_count; i++) {
            const char *cell = cell_of(answer, row, i);
            const char *key = answer->columns[i].key;

            /* A stack's number is more than a script's may be exactly. */
            if (answer->columns[i].figure == FLEET_TEXT ||
                answer->columns[i].figure == FLEET_STACK)
                json_string(&json, key, cell);
            else
                json_signed(&json, key, strtoll(cell, NULL, 10));
        }
        json_end(&json);
    }
    json_end(&json);
    json_end(&json);
}

static void write_csv(const struct fleet_answer *answer, size_t rows)
{
    for (size_t i = 0; i < answer->column_count; i++)
        printf("%s%s", i == 0 ? "" : ",", answer->columns[i].key);
    for (size_t row = 0; row < rows; row++) {
        for (size_t i = 0; i < answer->column_count; i++) {
            bool is_text = answer->columns[i].figure == FLEET_TEXT;

            fputs(i == 0 ? "\n" : ",", stdout);
            fputs(is_text ? "\"" : "", stdout);
            for (const char *c = cell_of(answer, row, i); *c != '\0'; c++)
                printf("%s%c", *c == '"' ? "\"" : "", *c);
            fputs(is_text ? "\"" : "", stdout);
        }
    }
    putchar('\n');
}

static int write_stacks(struct clickhouse *server,
                        const struct store_options *options,
                        const struct fleet_question *question)
{
    FILE *out;
    int status;

    if (make_way(options->is_forced, options->output, NULL) != COMMAND_GO_ON)
        return COMMAND_USAGE;
    out = fopen(options->output, "wxe");
    if (out == NULL)
        return complain_about_output(options->output);
    status = fleet_stacks(server, question, out);
    if (fclose(out) != 0) {
        status = complain_about_output(options->output);
    } else if (status < 0) {
        status = fail(server);
    } else {
        tell_report("next", options->output);
        return COMMAND_DONE;
    }
    unlink(options->output);
    return status;
}

static int ask(struct clickhouse *server, const struct store_options *options,
               const char *action)
{
    static void (*const writers[])(const struct fleet_answer *answer,
                                   size_t rows) = { write_table, write_json,
                                                    write_csv };
    bool is_top = strcmp(action, "top") == 0;
    struct fleet_question question = {
        .service = options->service,
        .version = options->version,
        .host = options->host,
        .label = options->label_count == 0 ? NULL : options->labels[0],
        .stack = options->stack,
        .from = options->from,
        .to = options->to,
        .since = options->since_ns == 0
                     ? 0
                     : (uint64_t)time(NULL) - options->since_ns / NS,
        .seconds = options->last_ns != 0 ? options->last_ns / NS
                   : is_top              ? DAY_SECONDS
                                         : 30 * DAY_SECONDS,
        .by = options->by,
        .value = options->value,
        .limit = options->of.row_limit,
    };
    struct fleet_answer answer;
    enum fleet_answer_kind kind;
    int status;

    if (options->output != NULL)
        return write_stacks(server, options, &question);
    kind = strcmp(action, "diff") == 0     ? FLEET_DIFF
           : strcmp(action, "report") == 0 ? FLEET_DAYS
           : options->has_outliers         ? FLEET_OUTLIERS
                                           : FLEET_TOP;
    status = fleet_ask(server, kind, &question, &answer);
    if (status == 0)
        writers[options->form](&answer,
                               answer.cell_count / answer.column_count);
    fleet_answer_free(&answer);
    return status == 0 ? COMMAND_DONE : fail(server);
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

static const struct option_table table = {
    .command = "store",
    .help = help_store,
    .arguments = ARGUMENT_FILE | ARGUMENT_PROCESS,
    .actions = &action_words,
    .shared = OPTIONS_TOP | OPTIONS_SYMBOLS,
    .rules = rules,
};

/* An option that says nothing here is a mistake. */
static int check(const struct store_options *options, const char *action)
{
    const struct {
        const char *option;
        bool is_given;
        unsigned actions;
    } uses[] = {
        { "--cluster", options->cluster != NULL, INIT },
        { "--keep", options->keep != DEFAULT_KEEP_DAYS, INIT },
        { "--service-version", options->version != NULL, ADD | TOP | REPORT },
        { "--last", options->last_ns != 0, TOP | DIFF | REPORT },
        { "--by", options->by != 0, TOP },
        { "--outliers", options->has_outliers, TOP },
        { "--value", options->value != 0, TOP | DIFF },
        { "--top", options->of.has_row_limit, TOP | DIFF },
        { "--from-version", options->from != NULL, DIFF },
        { "--to-version", options->to != NULL, DIFF },
        { "--since", options->since_ns != 0, DIFF },
        { "--stack", options->stack != NULL, TOP | DIFF | REPORT },
        { "--output", options->output != NULL, REPORT },
        { "--format", options->form != FORM_TABLE, TOP | DIFF | REPORT },
    };
    unsigned bit = actions[words_find(&action_words, action)].bit;

    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        if (uses[i].is_given && (uses[i].actions & bit) == 0)
            return tell_line("%s: tally store %s does not take it; leave it "
                             "out",
                             uses[i].option, action);
    }
    if (bit != ADD && options->label_count > 1)
        return complain("--label", "one can be asked for", "name it once");
    if ((options->from == NULL) != (options->to == NULL) ||
        (options->from != NULL && options->since_ns != 0))
        return complain("store diff", "it is not said what is compared",
                        "name --from-version and --to-version, or --since");
    return COMMAND_GO_ON;
}

/* The first line of the file, for free(); NULL: it cannot be read. */
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
    char *read = NULL;
    int status;

    if (options->password_file != NULL) {
        password = read = read_password(options->password_file);
        if (read == NULL)
            return complain(options->password_file,
                            "no password can be read from it",
                            "write it into its first line");
    }
    why = clickhouse_open(&server, options->db, password);
    if (why != NULL)
        status = tell_line("--db: %s", why);
    else if (strcmp(action, "init") == 0)
        status = init(&server, options, arguments);
    else if (strcmp(action, "add") == 0)
        status = add_all(&server, options, arguments);
    else
        status = ask(&server, options, action);
    clickhouse_close(&server);
    free(read);
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
        return complain("store", "it is not said what to do",
                        "use init, add, top, diff or report");
    if (words_find(&action_words, action) < 0)
        return complain(action, "tally store does no such thing",
                        "use init, add, top, diff or report");
    status = check(&options, action);
    if (status != COMMAND_GO_ON)
        return status;
    if (options.db == NULL)
        return complain("store", "no server is named",
                        "name it with --db=clickhouse://HOST:PORT/DATABASE, or "
                        "in TALLY_DB");
    return run(&options, action, argv + optind + 1);
}
