/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answers.c - see fleet.h
 *
 * This file is long because naming the rows' stacks takes queries of its own.
 *
 * A row that was sent twice may exist twice until the server merges them, so
 * rows are grouped by key before they are summed. Only sets are fetched from
 * other servers (GLOBAL): joined rows lie on the server of their stack.
 *
 * Each build has its own stacks, which are identified by build and address.
 * Stacks with the same functions of the same modules are twins; answers count
 * them as one, the newest (called.sql).
 */
#include "tool/fleet/fleet.h"

#include <inttypes.h>
#include <math.h>

#include "tool/model/names/blamed_calls.h"
#include "tool/model/sources/sources.h"

static const char *const by_names[] = { "service", "version", "host", "stack" };
static const struct {
    const char *name, *column;
    enum measure measure;
} values[] = { { "live-bytes", "live_bytes", MEASURE_LIVE_BYTES },
               { "live-blocks", "live_blocks", MEASURE_LIVE_BLOCKS },
               { "total-bytes", "alloc_bytes", MEASURE_TOTAL_BYTES },
               { "total-blocks", "alloc_blocks", MEASURE_TOTAL_BLOCKS } };

const struct word_list fleet_by_words = WORDS(by_names);
const struct word_list fleet_value_words = WORDS(values);

/* Columns of FLEET_DAYS; FLEET_TOP has the column of --by in place of the day,
   at the end. */
static const struct fleet_column day_columns[] = {
    { "day", "day", FLEET_TEXT },
    { "live_bytes", "live bytes", FLEET_ESTIMATE },
    { "live_blocks", "live blocks", FLEET_LIVE_BLOCKS },
    { "total_bytes", "total bytes", FLEET_TOTAL_BYTES },
    { "hosts", "hosts", FLEET_NUMBER },
    { "processes", "processes", FLEET_NUMBER },
    { 0 }
};
static const struct fleet_column outlier_columns[] = {
    { "value", "value", FLEET_NUMBER },
    { "median", "median", FLEET_NUMBER },
    { "host", "host", FLEET_TEXT },
    { "stack", "stack", FLEET_STACK },
    { 0 }
};
static const struct fleet_column diff_columns[] = {
    { "growth", "growth", FLEET_GROWTH },
    { "before", "before/process", FLEET_NUMBER },
    { "after", "after/process", FLEET_NUMBER },
    { "hosts", "hosts", FLEET_NUMBER },
    { "service", "service", FLEET_TEXT },
    { "stack", "stack", FLEET_STACK },
    { 0 }
};

enum {
    NAMED_AT_ONCE = 5000, /* rows: a query has at most 256 KiB */
    MOST_DAYS = 36600,
};

static void add_equal(FILE *out, const char *column, const char *text)
{
    if (text == NULL)
        return;
    fprintf(out, " AND %s = ", column);
    clickhouse_quote(out, text);
}

/* Restrict the query to a stack, in each build. */
static void choose_stack(struct sql *sql, const char *stack, FILE *out)
{
    char *twins;

    sql->texts[SQL_also] = memory_print(" OR stack = toUInt64(%s)", stack);
    twins = sql_fill(sql, sql_twins);
    fprintf(out,
            " AND stack GLOBAL IN (SELECT own FROM (%s WHERE "
            "has(owns, toUInt64(%s))))",
            twins, stack);
    free(twins);
}

/* Fill the gaps that all queries have. */
static void sql_begin(struct sql *sql, const struct fleet_question *question)
{
    FILE *out = sql_open(&sql->texts[SQL_filter]);

    sql->latest = sql_latest;
    sql->rows = sql_rows;
    fprintf(out, "time > now() - %" PRIu64, question->seconds);
    add_equal(out, "service", question->service);
    add_equal(out, "version", question->version);
    add_equal(out, "host", question->host);
    sql_close(out);
    if (question->label != NULL) {
        size_t length = strcspn(question->label, "=");
        char *name = memory_print("%.*s", (int)length, question->label);

        out = sql_open(&sql->texts[SQL_label]);
        fputs(" AND arrayExists((n, v) -> 1", out);
        add_equal(out, "n", name);
        add_equal(out, "v", question->label + length + 1);
        fputs(", label_names, label_values)", out);
        sql_close(out);
        free(name);
    }
    out = sql_open(&sql->texts[SQL_choice]);
    if (question->stack != NULL)
        choose_stack(sql, question->stack, out);
    sql_close(out);
    sql->texts[SQL_by] = memory_text(by_names[question->by]);
    sql->texts[SQL_value] = memory_text(values[question->value].column);
    sql->texts[SQL_error] = memory_print("%u", question->value + 1);
    sql->texts[SQL_unit] =
        memory_text(measure_unit(values[question->value].measure));
    sql->texts[SQL_live] = memory_text(
        values[question->value].measure <= MEASURE_LIVE_BLOCKS ? "1" : "0");
    sql->texts[SQL_limit] = memory_print("%zu", question->limit);
}

static void sql_end(struct sql *sql)
{
    for (size_t i = 0; i < SQL_GAP_COUNT; i++)
        free(sql->texts[i]);
}

static int ask(struct clickhouse *server, const struct sql *sql,
               const char *question, clickhouse_row_fn *row, void *context)
{
    char *text = sql_fill(sql, question);
    int status = clickhouse_ask(server, text, row, context);

    free(text);
    return status;
}

static bool take_processes(void *context, char *row)
{
    struct fleet_processes *processes = context;

    return tabbed_number(&row, &processes->count) &&
           tabbed_number(&row, &processes->sampled) &&
           tabbed_number(&row, &processes->hosts) &&
           tabbed_number(&row, &processes->interval);
}

/* Check the last line: a server may fail in the middle of an answer. */
static bool take_line(void *context, char *row)
{
    fprintf(context, "%s\n", row);
    return strncmp(row, "names\t", 6) == 0 || strncmp(row, "stack\t", 6) == 0;
}

int fleet_stacks(struct clickhouse *server,
                 const struct fleet_question *question, FILE *out)
{
    static const char *const parts[] = { sql_names, sql_stacks };
    struct fleet_processes of = { 0 };
    struct sql sql = { 0 };
    char *samples;
    int status;

    sql_begin(&sql, question);
    samples = sql_fill(&sql, sql_samples);
    sql.texts[SQL_which] =
        memory_print("GLOBAL IN (SELECT stack FROM %s)", samples);
    free(samples);
    status = ask(server, &sql, sql_note, take_processes, &of);
    fprintf(out,
            STACK_LINES_BEGIN "note\tsums of %" PRIu64 " processes of %" PRIu64
                              " hosts, %" PRIu64 " of which were sampled%s\n",
            of.count, of.hosts, of.sampled,
            of.sampled > 0 ? ": estimates" : "");
    for (size_t i = 0; i < sizeof parts / sizeof *parts && status == 0; i++)
        status = ask(server, &sql, parts[i], take_line, out);
    sql_end(&sql);
    return status;
}

/* Set the name in the cell behind this number, in all rows. */
static void set_call(struct fleet_answer *answer, size_t column,
                     uint64_t number, const char *call)
{
    for (; column < answer->cell_count; column += answer->column_count) {
        if (strtoull(answer->cells[column], NULL, 10) != number)
            continue;
        free(answer->cells[column + 1]);
        answer->cells[column + 1] = memory_text(call);
    }
}

/* Name the stacks by the call they are charged to. Figures of calls.sql are
   numbers of stacks. */
static void call_stacks(struct fleet_answer *answer, size_t column,
                        const char *lines)
{
    struct profile *profile = profile_create();
    struct source_failure failure;
    struct site_names *names;
    struct frame_names *frames;

    load_stack_lines((const unsigned char *)lines, strlen(lines), profile,
                     &failure);
    profile_finish(profile);
    names = site_names_create(profile, NULL, DEMANGLE_WITHOUT_ARGUMENTS);
    frames = blame_all(&fold_shipped, profile, names);
    for (size_t i = 0; i < profile->stacks.stack_count; i++) {
        const struct profile_stack *stack = &profile->stacks.stacks[i];
        const struct frame_name *name;
        struct stack_walk walk;
        char *call;

        stack_walk_begin(&walk, frames, stack);
        name = stack_walk_next(&walk);
        call = name->name.file == NULL
                   ? memory_text(name->label)
                   : memory_print("%s %s:%" PRIu64, name->label,
                                  base_name(name->name.file), name->name.line);
        set_call(answer, column, stack->amounts.alloc_bytes, call);
        free(call);
    }
    profile_destroy(profile);
}

static int name_some(struct clickhouse *server, struct fleet_answer *answer)
{
    size_t column = answer->column_count - 2;
    struct sql sql = { 0 };
    char *lines;
    FILE *out;
    int status;

    out = sql_open(&sql.texts[SQL_which]);
    fputs("IN (0", out);
    for (size_t at = column; at < answer->cell_count;
         at += answer->column_count)
        fprintf(out, ", %s", answer->cells[at]);
    fputs(")", out);
    sql_close(out);
    out = sql_open(&lines);
    fputs(STACK_LINES_BEGIN, out);
    status = ask(server, &sql, sql_names, take_line, out);
    if (status == 0)
        status = ask(server, &sql, sql_calls, take_line, out);
    sql_close(out);
    if (status == 0)
        call_stacks(answer, column, lines);
    free(lines);
    sql_end(&sql);
    return status;
}

static int name_stacks(struct clickhouse *server,
                       const struct fleet_answer *answer)
{
    struct fleet_answer part = *answer;
    size_t most = NAMED_AT_ONCE * answer->column_count, at = 0, left;
    int status = 0;

    if (answer->columns[answer->column_count - 2].figure != FLEET_STACK)
        return 0;
    for (; (left = answer->cell_count - at) > 0 && status == 0;
         at += part.cell_count) {
        part.cells = answer->cells + at;
        part.cell_count = left < most ? left : most;
        status = name_some(server, &part);
    }
    return status;
}

static bool take_cells(void *context, char *row)
{
    struct fleet_answer *answer = context;

    if (answer->cell_count == answer->row_limit * answer->column_count)
        return false;
    for (size_t i = 0; i < answer->column_count; i++) {
        bool is_call = i > 0 && answer->columns[i - 1].figure == FLEET_STACK;
        char *cell = is_call ? row + strlen(row) : tabbed_text(&row);
        char *number = cell;

        if (!is_call && answer->columns[i].figure != FLEET_TEXT &&
            !tabbed_number(&number, &(uint64_t){ 0 }))
            return false;
        ARRAY_ADD(answer->cells, answer->cell_count, memory_text(cell));
    }
    if (*row == '\0')
        return true;
    row = tabbed_array(&row);
    for (size_t i = 0; i < FLEET_ERRORS; i++) {
        const char *item = tabbed_item(&row);

        ARRAY_ADD(answer->errors, answer->error_count,
                  item == NULL ? 0 : strtod(item, NULL));
    }
    return true;
}

struct interval fleet_interval(const struct fleet_answer *answer, size_t row,
                               size_t column)
{
    unsigned number = answer->columns[column].figure - FLEET_ESTIMATE;
    const struct profile sums = { .sample_interval =
                                      answer->processes.interval };
    double value = (double)strtoll(
        answer->cells[row * answer->column_count + column], NULL, 10);
    struct interval exact = { value, value }, gone, made;
    const double *of;

    if (sums.sample_interval <= 1 || answer->error_count == 0)
        return exact;
    of = &answer->errors[row * FLEET_ERRORS];
    if (answer->columns[column].figure != FLEET_GROWTH)
        return of[FLEET_ERRORS - 1] <= 0
                   ? exact
                   : interval_of_sampled(
                         &sums, values[number].measure, fmax(value, 0),
                         (struct estimate_error){ of[number], of[number + 3] });
    gone = interval_of_sampled(&sums, values[answer->value].measure, of[0],
                               (struct estimate_error){ of[1], 0 });
    made = interval_of_sampled(&sums, values[answer->value].measure, of[2],
                               (struct estimate_error){ of[3], 0 });
    return of[1] + of[3] <= 0 ? exact
                              : interval_of_growth(of[0], gone, of[2], made);
}

static bool take_count(void *context, char *row)
{
    return tabbed_number(&row, context);
}

static void set_version(struct sql *sql, enum sql_gap gap, const char *version)
{
    FILE *out = sql_open(&sql->texts[gap]);

    fputs("1", out);
    add_equal(out, "version", version);
    sql_close(out);
}

/* Find the compared sides of services that have both. */
static int find_sides(struct clickhouse *server, struct sql *sql,
                      const struct fleet_question *question)
{
    uint64_t services = 0;

    sql->latest = sql_latest_of_sides;
    if (question->since != 0) {
        sql->texts[SQL_before] =
            memory_print("time < toDateTime(%" PRIu64 ")", question->since);
        sql->texts[SQL_after] =
            memory_print("time >= toDateTime(%" PRIu64 ")", question->since);
    } else if (question->to != NULL) {
        set_version(sql, SQL_before, question->from);
        set_version(sql, SQL_after, question->to);
    } else {
        sql->texts[SQL_after] = sql_fill(sql, sql_newest);
        sql->texts[SQL_before] = sql_fill(sql, sql_older);
    }
    if (ask(server, sql, "SELECT count() FROM {sides}", take_count, &services) <
        0)
        return -1;
    if (services > 0)
        return 0;
    strcpy(server->why, "no service has snapshots of both sides; tally store "
                        "top --by=version shows what there is");
    return -1;
}

/* Restrict the query to services with both sides, as in the answer. */
static void keep_sides(struct sql *sql)
{
    char *sides = sql_fill(sql, sql_sides), *filter = sql->texts[SQL_filter];

    sql->texts[SQL_filter] = memory_print(
        "%s AND service GLOBAL IN (SELECT service FROM %s)", filter, sides);
    free(filter);
    free(sides);
}

int fleet_ask(struct clickhouse *server, enum fleet_answer_kind kind,
              const struct fleet_question *question,
              struct fleet_answer *answer)
{
    static const struct {
        const char *sql;
        const struct fleet_column *columns;
    } kinds[] = { [FLEET_TOP] = { sql_top, day_columns + 1 },
                  [FLEET_OUTLIERS] = { sql_outliers, outlier_columns },
                  [FLEET_DIFF] = { sql_diff, diff_columns },
                  [FLEET_DAYS] = { sql_days, day_columns } };
    const char *by = by_names[question->by];
    const struct fleet_column *column = kinds[kind].columns;
    struct fleet_column *end = answer->columns;
    struct sql sql = { 0 };
    int status = 0;

    *answer = (struct fleet_answer){ .value = question->value,
                                     .row_limit = kind == FLEET_DAYS
                                                      ? MOST_DAYS
                                                      : question->limit };
    while (column->key != NULL)
        *end++ = *column++;
    if (kind == FLEET_TOP)
        *end++ = (struct fleet_column){ by, by,
                                        strcmp(by, "stack") == 0 ? FLEET_STACK
                                                                 : FLEET_TEXT };
    sql_begin(&sql, question);
    if (end[-1].figure == FLEET_STACK) {
        *end++ = (struct fleet_column){ "call", "call", FLEET_TEXT };
        sql.rows = sql_called;
    }
    answer->column_count = (size_t)(end - answer->columns);
    if (kind == FLEET_DAYS) {
        sql.latest = sql_latest_of_days;
        free(sql.texts[SQL_by]);
        sql.texts[SQL_by] = memory_text("toDate(time)");
    }
    if (kind == FLEET_DIFF)
        status = find_sides(server, &sql, question);
    if (status == 0)
        status = ask(server, &sql, kinds[kind].sql, take_cells, answer);
    if (status == 0)
        status = name_stacks(server, answer);
    if (kind == FLEET_DIFF)
        keep_sides(&sql);
    if (status == 0)
        status =
            ask(server, &sql, sql_note, take_processes, &answer->processes);
    sql_end(&sql);
    return status;
}

void fleet_answer_free(struct fleet_answer *answer)
{
    for (size_t i = 0; i < answer->cell_count; i++)
        free(answer->cells[i]);
    free(answer->cells);
    free(answer->errors);
}
