/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_text.c - a report for people
 */
#include "tool/commands/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/commands/report_calls.h"
#include "tool/render/table.h"
#include "tool/text/number.h"

enum column_set {
    COLUMNS_PLAIN,
    COLUMNS_INHERITED, /* with the column that a forked child's ledger has */
    COLUMNS_LIVE,      /* of a source that knows no totals */
};

static const struct table_column columns[] = {
    { "LIVE BYTES", TABLE_RIGHT },  { "LIVE BLOCKS", TABLE_RIGHT },
    { "TOTAL BYTES", TABLE_RIGHT }, { "TOTAL BLOCKS", TABLE_RIGHT },
    { "FUNCTION", TABLE_LEFT },     { "FILE:LINE", TABLE_LEFT_END },
    { "MODULE", TABLE_LEFT },
};

static const struct table_column columns_live[] = {
    { "LIVE BYTES", TABLE_RIGHT }, { "LIVE BLOCKS", TABLE_RIGHT },
    { "FUNCTION", TABLE_LEFT },    { "FILE:LINE", TABLE_LEFT_END },
    { "MODULE", TABLE_LEFT },
};

static const struct table_column columns_inherited[] = {
    { "LIVE BYTES", TABLE_RIGHT },      { "LIVE BLOCKS", TABLE_RIGHT },
    { "INHERITED BYTES", TABLE_RIGHT }, { "INHERITED BLOCKS", TABLE_RIGHT },
    { "TOTAL BYTES", TABLE_RIGHT },     { "TOTAL BLOCKS", TABLE_RIGHT },
    { "FUNCTION", TABLE_LEFT },         { "FILE:LINE", TABLE_LEFT_END },
    { "MODULE", TABLE_LEFT },
};

static void add_signed(struct table *table, int64_t value)
{
    char number[NUMBER_SIZE];

    table_add(table, number_signed(number, value));
}

static void add_unsigned(struct table *table, uint64_t value)
{
    char number[NUMBER_SIZE];

    table_add(table, number_unsigned(number, value));
}

static void add_amounts(struct table *table, enum column_set set,
                        const struct profile_amounts *amounts)
{
    add_signed(table, amounts->live_bytes);
    add_signed(table, amounts->live_blocks);
    if (set == COLUMNS_INHERITED) {
        add_unsigned(table, amounts->inherited_bytes);
        add_unsigned(table, amounts->inherited_blocks);
    }
    if (set == COLUMNS_LIVE)
        return;
    add_unsigned(table, amounts->alloc_bytes);
    add_unsigned(table, amounts->alloc_blocks);
}

/* A site without a name is shown as MODULE+0xADDRESS; addr2line takes it. */
static void add_name(struct table *table, const struct site_name *name,
                     const struct profile_site *site)
{
    const char *module = name->module == NULL ? "" : base_name(name->module);
    char place[SITE_PLACE_SIZE];
    char *text = NULL;

    if (site->is_inaccurate &&
        asprintf(&text, "%s (inaccurate)", name->function) >= 0) {
        table_add(table, text);
        free(text);
    } else if (name->function != NULL) {
        table_add(table, name->function);
    } else if (asprintf(&text, "%s%s%s", module, module[0] == '\0' ? "" : "+",
                        site_place(place, site)) >= 0) {
        table_add(table, text);
        free(text);
    }
    if (name->file == NULL) {
        table_add(table, "-");
    } else if (asprintf(&text, "%s:%" PRIu64, name->file, name->line) >= 0) {
        table_add(table, text);
        free(text);
    }
    table_add(table, module[0] == '\0' ? "-" : module);
}

static void add_rest(struct table *table, enum column_set set,
                     const struct report *report, const size_t *sites,
                     size_t count)
{
    struct profile_amounts sum = { 0 };
    char text[64];

    for (size_t i = report->row_limit; i < count; i++) {
        const struct profile_amounts *amounts =
            &report->profile->sites[sites[i]].amounts;

        sum.live_bytes += amounts->live_bytes;
        sum.live_blocks += amounts->live_blocks;
        sum.inherited_bytes += amounts->inherited_bytes;
        sum.inherited_blocks += amounts->inherited_blocks;
        sum.alloc_bytes += amounts->alloc_bytes;
        sum.alloc_blocks += amounts->alloc_blocks;
    }
    add_amounts(table, set, &sum);
    snprintf(text, sizeof text, "(%zu more)", count - report->row_limit);
    table_add(table, text);
    table_add(table, "-");
    table_add(table, "-");
}

static enum column_set columns_of(const struct profile *profile)
{
    if (profile->lacks_totals)
        return COLUMNS_LIVE;
    return profile_has_inherited(profile) ? COLUMNS_INHERITED : COLUMNS_PLAIN;
}

static int print_sites(const struct report *report, const size_t *sites,
                       size_t count)
{
    static const struct {
        const struct table_column *columns;
        unsigned count;
    } sets[] = {
#define COLUMN_SET(columns) { columns, sizeof(columns) / sizeof((columns)[0]) }
        [COLUMNS_PLAIN] = COLUMN_SET(columns),
        [COLUMNS_INHERITED] = COLUMN_SET(columns_inherited),
        [COLUMNS_LIVE] = COLUMN_SET(columns_live),
#undef COLUMN_SET
    };
    enum column_set set = columns_of(report->profile);
    struct table *table = table_create(sets[set].columns, sets[set].count);
    int error;

    if (table == NULL)
        return -1;
    for (size_t i = 0; i < count && i < report->row_limit; i++) {
        const struct profile_site *site = &report->profile->sites[sites[i]];

        add_amounts(table, set, &site->amounts);
        add_name(table, &report->names->sites[sites[i]], site);
    }
    if (count > report->row_limit)
        add_rest(table, set, report, sites, count);
    error =
        table_print(table, stdout, terminal_width(stdout),
                    terminal_has_color(report->color, stdout) ? TABLE_COLORED
                                                              : TABLE_PLAIN);
    table_destroy(table);
    return error;
}

static void print_safe(const char *text)
{
    char *safe = terminal_safe(text);

    fputs(safe == NULL ? "?" : safe, stdout);
    free(safe);
}

static void print_heading(const struct report *report, const char *text)
{
    bool has_color = terminal_has_color(report->color, stdout);

    printf("\n%s%s%s\n", has_color ? "\033[1m" : "", text,
           has_color ? "\033[0m" : "");
}

static void print_process(const struct report *report)
{
    const struct profile_image *image = report->profile->images;

    if (report->profile->calls != NULL) {
        report_calls_print_head(report);
        return;
    }
    if (report->profile->image_count == 0) {
        print_safe(report->source);
        printf(" (allocinfo text, version %u.0)\n\n",
               report->profile->allocinfo_version);
        return;
    }
    print_safe(image->command_line[0] != '\0' ? image->command_line
                                              : image->program);
    printf(" (process %" PRIu32 "%s%s", image->pid,
           (image->flags & LEDGER_FLAG_FORKED) != 0 ? ", a forked child" : "",
           image->has_ended ? "" : ", running when it was read");
    if (image->control != LEDGER_CONTROL_ON)
        printf(", vm.mem_profiling=%s", report_profiling(image));
    puts(")");
    if (report->is_sum_of_images)
        printf("and %zu more process images, summed\n",
               report->profile->image_count - 1);
    putchar('\n');
}

static void print_total(const char *name, int64_t value)
{
    char number[NUMBER_SIZE];

    printf("  %-16s %18s\n", name, number_signed(number, value));
}

static void print_total_bytes(const char *name, int64_t value)
{
    char number[NUMBER_SIZE];
    char human[NUMBER_SIZE];

    printf("  %-16s %18s  (%s)\n", name, number_signed(number, value),
           number_bytes(human, value));
}

static void print_totals(const struct report *report)
{
    const struct profile_amounts *heap = &report->profile->heap;

    print_heading(report, "Totals");
    if (!report->profile->lacks_totals) {
        print_total("allocations", (int64_t)heap->alloc_blocks);
        print_total("frees", (int64_t)heap->free_blocks);
        print_total_bytes("bytes allocated", (int64_t)heap->alloc_bytes);
    }
    print_total("live blocks", heap->live_blocks);
    print_total_bytes("live bytes", heap->live_bytes);
    if (heap->inherited_blocks != 0) {
        print_total("inherited blocks", (int64_t)heap->inherited_blocks);
        print_total_bytes("inherited bytes", (int64_t)heap->inherited_bytes);
    }
}

static int print_maps(const struct report *report)
{
    if (report->map_count == 0)
        return 0;
    print_heading(report, "Anonymous maps, not in the totals above");
    return print_sites(report, report->maps, report->map_count);
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void print_lost(const struct report *report)
{
    static const char *const sentences[] = {
#define COUNT_SENTENCE(name, sentence) sentence,
        LEDGER_COUNT_LIST(COUNT_SENTENCE)
#undef COUNT_SENTENCE
    };
    const struct profile *profile = report->profile;
    char number[NUMBER_SIZE];
    bool has_any = profile->torn_sites != 0 || profile->inaccurate_sites != 0 ||
                   report->names->unresolved != 0 ||
                   report_calls_has_losses(report);

    for (size_t i = 0; i < LEDGER_COUNT_COUNT; i++)
        has_any = has_any || profile->counts[i] != 0;
    if (!has_any)
        return;
    print_heading(report, "Lost or not seen");
    for (size_t i = 0; i < LEDGER_COUNT_COUNT; i++) {
        if (profile->counts[i] != 0)
            printf("  %s %s\n", number_unsigned(number, profile->counts[i]),
                   sentences[i]);
    }
    if (profile->torn_sites != 0)
        printf("  %zu call site%s changed while %s read; live values below 0 "
               "are shown as 0\n",
               profile->torn_sites, plural(profile->torn_sites),
               profile->torn_sites == 1 ? "it was" : "they were");
    if (profile->inaccurate_sites != 0)
        printf("  %zu row%s marked inaccurate: what could not be tracked is "
               "missing; changes since are right\n",
               profile->inaccurate_sites,
               profile->inaccurate_sites == 1 ? " is" : "s are");
    report_calls_print_losses(report);
    if (report->names->unresolved != 0 && profile->calls != NULL &&
        profile->module_count == 0)
        printf("  %zu caller%s without a name: name the program with --elf\n",
               report->names->unresolved, plural(report->names->unresolved));
    else if (report->names->unresolved != 0)
        printf("  %zu call site%s without a name: their file is gone, has "
               "changed or has no symbols\n",
               report->names->unresolved, plural(report->names->unresolved));
}

/* The one "%s" of a sentence stands for the text. */
static void print_notice(const struct profile_notice *notice)
{
    static const char *const sentences[] = { "",
#define NOTICE_SENTENCE(name, sentence) sentence,
                                             LEDGER_NOTICE_LIST(NOTICE_SENTENCE)
#undef NOTICE_SENTENCE
    };
    const char *sentence = notice->code < LEDGER_NOTICE_COUNT
                               ? sentences[notice->code]
                               : "a notice that only a newer tally knows: %s";
    const char *hole = strstr(sentence, "%s");
    size_t length = hole == NULL ? strlen(sentence) : (size_t)(hole - sentence);

    printf("  %.*s", (int)length, sentence);
    print_safe(notice->text);
    if (hole != NULL)
        fputs(hole + 2, stdout);
    if (notice->times > 1)
        printf(" (%" PRIu64 " times)", notice->times);
    putchar('\n');
}

static void print_notices(const struct report *report)
{
    if (report->profile->notice_count == 0)
        return;
    print_heading(report, "Notices");
    for (size_t i = 0; i < report->profile->notice_count; i++)
        print_notice(&report->profile->notices[i]);
}

static void print_image(const struct report_image *image)
{
    char live[NUMBER_SIZE];
    char total[NUMBER_SIZE];

    printf("  process %" PRIu32 ", image %" PRIu32 ": ", image->file->pid,
           image->file->generation);
    if (!image->is_readable) {
        puts("its ledger cannot be read");
        return;
    }
    print_safe(image->program);
    printf(", %s bytes live, %s bytes in total\n",
           number_signed(live, image->heap.live_bytes),
           number_unsigned(total, image->heap.alloc_bytes));
}

static void print_images(const struct report *report)
{
    if (report->image_count == 0)
        return;
    print_heading(report, "Other process images (--all sums them)");
    for (size_t i = 0; i < report->image_count; i++)
        print_image(&report->images[i]);
}

int report_write_text(const struct report *report)
{
    print_process(report);
    if (print_sites(report, report->heap, report->heap_count) < 0)
        return -1;
    print_totals(report);
    if (report->profile->calls != NULL && report_calls_print(report) < 0)
        return -1;
    if (print_maps(report) < 0)
        return -1;
    print_lost(report);
    print_notices(report);
    print_images(report);
    return 0;
}
