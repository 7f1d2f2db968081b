/* SPDX-License-Identifier: Apache-2.0 */
/* history.c - see profile_parts.h */
#include "tool/model/profile/profile_parts.h"

#include <time.h>

#define SECOND UINT64_C(1000000000)

static bool read_date(const char *text, uint64_t *ns)
{
    static const char *const forms[] = { "%Y-%m-%d %H:%M:%S",
                                         "%Y-%m-%dT%H:%M:%S" };

    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        struct tm tm = { .tm_isdst = -1 };
        const char *end = strptime(text, forms[i], &tm);
        time_t seconds = end == NULL || *end != '\0' ? -1 : mktime(&tm);

        *ns = (uint64_t)seconds * SECOND;
        if (seconds >= 0 && (uint64_t)seconds <= INT64_MAX / SECOND)
            return true;
    }
    return false;
}

bool history_read_wish(const char *text, struct history_wish *wish)
{
    *wish = (struct history_wish){ 0 };
    if (strcmp(text, "peak") == 0)
        wish->time = HISTORY_PEAK;
    else if (strcmp(text, "end") == 0)
        wish->time = HISTORY_END;
    else if (parse_duration(text, &wish->ns))
        wish->time = HISTORY_SINCE_START;
    else if (read_date(text, &wish->ns))
        wish->time = HISTORY_DATE;
    return wish->time != HISTORY_NONE;
}

double history_distance(const struct history *history, size_t number)
{
    double ns = (double)history->instants[number].ns - (double)history->wish_ns;

    return (ns < 0 ? -ns : ns) / 1e9;
}

/* Choose the nearest instant if the history covers the time. */
static void choose(struct history *history)
{
    const uint64_t rounding = SECOND / 1000; /* of printed times */
    const struct history_wish *wish = &history->wish;
    const struct ledger_instant *instants = history->instants, *most = instants;
    uint64_t last_ns = instants[history->count - 1].ns;

    history->wish_ns = wish->ns;
    if (wish->time == HISTORY_SINCE_START)
        history->wish_ns += history->start_ns;
    for (size_t i = 1; i < history->count; i++)
        if (instants[i].live_bytes > most->live_bytes)
            most = &instants[i];
    if (wish->time == HISTORY_PEAK)
        history->wish_ns = most->ns;
    if (wish->time == HISTORY_END)
        history->wish_ns = last_ns;
    history->is_chosen = wish->time != HISTORY_NONE &&
                         history->wish_ns >= history->start_ns &&
                         history->wish_ns <= last_ns + rounding;
    for (size_t i = 1; i < history->count; i++)
        if (history_distance(history, i) <
            history_distance(history, history->chosen))
            history->chosen = i;
}

static int find_limit(struct history *history)
{
    struct ledger_change change;
    int found = 0;

    for (uint32_t i = 0; found == 0 && i < history->count; i++) {
        struct ledger_run run =
            ledger_run_of(history->runs, history->instants, i);

        while ((found = ledger_run_next(&run, &change)) > 0)
            ;
        if (run.site >= history->site_limit)
            history->site_limit = run.site + 1;
    }
    return found;
}

static void find_held(struct history *history)
{
    struct ledger_change change;

    history->held = arena_zeroed(history->arena, history->site_limit,
                                 sizeof *history->held);
    for (uint32_t i = 0; i <= history->chosen; i++) {
        struct ledger_run run =
            ledger_run_of(history->runs, history->instants, i);

        while (ledger_run_next(&run, &change) > 0)
            ledger_change_add(&change, history->held[change.site]);
    }
}

int history_load(struct history *history,
                 const struct ledger_history_view *view, uint64_t start_ns)
{
    size_t size = view->instants[view->count - 1].end;
    int found;

    history->arena = arena_create();
    history->start_ns = start_ns;
    history->left_out = view->left_out;
    history->count = view->count;
    history->instants =
        arena_zeroed(history->arena, view->count, sizeof *history->instants);
    memcpy(history->instants, view->instants,
           view->count * sizeof *history->instants);
    history->runs = arena_zeroed(history->arena, size + 1, 1);
    memcpy(history->runs, view->runs, size);
    choose(history);
    found = find_limit(history);
    /* Pages of ids without a site are never touched. */
    history->rows = arena_zeroed(history->arena, history->site_limit,
                                 sizeof *history->rows);
    if (found == 0 && history->is_chosen)
        find_held(history);
    return found;
}

void history_series(const struct history_series *series, size_t series_count)
{
    const struct history *history = series->history;
    size_t count = history->count;

    for (uint32_t i = 0; i < count; i++) {
        struct ledger_run run =
            ledger_run_of(history->runs, history->instants, i);
        struct ledger_change change;

        for (size_t s = 0; i > 0 && s < series_count; s++) {
            series->bytes[s * count + i] = series->bytes[s * count + i - 1];
            series->blocks[s * count + i] = series->blocks[s * count + i - 1];
        }
        while (ledger_run_next(&run, &change) > 0) {
            uint32_t row = history_row(history, change.site);
            uint32_t s = row == UINT32_MAX ? row : series->numbers[row];

            if (s == UINT32_MAX)
                continue;
            series->bytes[s * count + i] +=
                (int64_t)(change.grown[1] - change.grown[3]);
            series->blocks[s * count + i] +=
                (int64_t)(change.grown[0] - change.grown[2]);
        }
    }
}

double history_seconds(const struct history *history, uint64_t ns)
{
    return ((double)ns - (double)history->start_ns) / 1e9;
}

void history_free(struct history *history)
{
    arena_destroy(history->arena);
    *history = (struct history){ 0 };
}
