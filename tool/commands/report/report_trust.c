/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_trust.c - how far a report can be trusted: what was lost or not seen,
 * frames that have no name, why, and what would give them one
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/commands/report/report_parts.h"
#include "tool/model/names/trust.h"
#include "tool/symbols/debian_package.h"
#include "tool/tables/memory.h"
#include "tool/text/number.h"

enum { MODULES_SHOWN = 5 };

/* Why frames in a module have no name. Returns it as a bit, by enum
   symbols_lack. */
static unsigned print_lack(const struct report *report, uint32_t module)
{
    const char *path = report->profile->modules[module].path;
    enum symbols_lack lack = symbols_lack(report->names->symbols, (int)module);
    char package[DEBIAN_PACKAGE_SIZE];

    if (lack == SYMBOLS_LACK_FILE)
        puts(", which is not here");
    else if (lack == SYMBOLS_LACK_SAME)
        puts(", which is another file now");
    else if (debian_package_find(path, package))
        printf(", stripped: install %s\n", package);
    else
        puts(", stripped: build it with -g, or install its symbols");
    return 1u << lack;
}

static void print_advice(unsigned lacks)
{
    if (lacks != 0)
        puts("    --debuginfod asks the network for symbols.");
    if ((lacks & (1u << SYMBOLS_LACK_FILE | 1u << SYMBOLS_LACK_SAME)) != 0)
        puts("    --sysroot=DIR reports with the files of the machine that "
             "recorded, in DIR.");
}

/* The module with the highest count, the first of several. */
static uint32_t next_module(const size_t *counts, size_t module_count)
{
    size_t best = 0;

    for (size_t i = 1; i < module_count; i++) {
        if (counts[i] > counts[best])
            best = i;
    }
    return (uint32_t)best;
}

/* The modules with the highest counts, of stacks that were cut there or of
   frames. Returns what frames lack, as bits. */
static unsigned print_most(const struct report *report, size_t *counts,
                           bool is_cut)
{
    size_t module_count = report->profile->module_count;
    unsigned lacks = 0;

    for (unsigned shown = 0; module_count > 0 && shown < MODULES_SHOWN;
         shown++) {
        uint32_t module = next_module(counts, module_count);

        if (counts[module] == 0)
            break;
        printf("    %6s in ", NUMBER(counts[module]));
        report_print_safe(report->profile->modules[module].path);
        if (is_cut)
            puts(", whose code has no unwind tables: build it with "
                 "-fasynchronous-unwind-tables");
        else
            lacks |= print_lack(report, module);
        counts[module] = 0;
    }
    return lacks;
}

/* What to call the place of frames that lie in no file of the source. */
static const char *nowhere_words(const struct profile *profile)
{
    if (profile->calls != NULL && !profile->calls->knows_files)
        return "no file that is known: name the program, or the ledger of "
               "the same run, with --elf";
    return profile->counts[LEDGER_COUNT_lost_modules] != 0
               ? "files that were not recorded, or in none"
               : "no file: code made while the program ran";
}

static void print_unresolved(const struct report *report)
{
    size_t module_count = report->profile->module_count;
    size_t all = frame_names_unresolved(report->frames, FRAME_ANY_MODULE);
    size_t nowhere = frame_names_unresolved(report->frames, PROFILE_NO_MODULE);
    size_t *counts = memory_zeroed(module_count, sizeof *counts);
    unsigned lacks;

    if (all != 0)
        printf("  %s of %zu frames have no name:\n", NUMBER(all),
               stacks_code_places(&report->profile->stacks));
    for (size_t i = 0; i < module_count; i++)
        counts[i] = frame_names_unresolved(report->frames, (uint32_t)i);
    lacks = print_most(report, counts, false);
    if (nowhere != 0)
        printf("    %6s in %s\n", NUMBER(nowhere),
               nowhere_words(report->profile));
    print_advice(lacks);
    free(counts);
}

/*
 * Stacks that end in code without unwind tables, by module. Each place is asked
 * about once, however many stacks end there.
 */
static size_t *count_cut(const struct report *report)
{
    const struct profile *profile = report->profile;
    const struct stacks *stacks = &profile->stacks;
    size_t *ends = memory_zeroed(stacks->place_count, sizeof *ends);
    size_t *counts = memory_zeroed(profile->module_count, sizeof *counts);
    uint32_t place;

    for (size_t i = 0; i < stacks->stack_count; i++) {
        if (stacks_is_cut(stacks, &stacks->stacks[i], &place) &&
            place != STACK_NO_PLACE)
            ends[place]++;
    }
    for (place = 0; place < stacks->place_count; place++) {
        const struct profile_place *end = &stacks->places[place];

        if (ends[place] != 0 && end->module != PROFILE_NO_MODULE &&
            symbols_lacks_caller(report->names->symbols, (int)end->module,
                                 end->address))
            counts[end->module] += ends[place];
    }
    free(ends);
    return counts;
}

/* Files that may have changed since, with no build-id to check. */
static void print_changed(const struct report *report)
{
    const struct profile *profile = report->profile;
    bool has_any = false;

    for (size_t i = 0; i < profile->module_count; i++) {
        if (!site_names_may_be_wrong(report->names, profile, i))
            continue;
        if (!has_any)
            report_print_heading(report, "Names that may be wrong");
        has_any = true;
        fputs("  those in ", stdout);
        report_print_safe(profile->modules[i].path);
        puts(": it has no build-id, and was changed after the run");
    }
}

/* `sentence` with its [ONE|MANY]; nothing of none. */
static void print_count(size_t count, const char *sentence)
{
    char text[TRUST_LINE_SIZE];

    if (count != 0)
        printf("  %zu %s\n", count,
               number_sentence(text, sizeof text, sentence, count));
}

static void print_lost(const struct report *report)
{
    const struct profile *profile = report->profile;
    /* Those of a log are reported with the rest of it. */
    size_t marked = profile->text.reports != 0 ? 0 : profile->inaccurate_sites;
    bool is_of_calls = profile->calls != NULL && profile->module_count == 0;
    char sentence[TRUST_LINE_SIZE];
    bool has_any =
        profile->torn_sites != 0 || marked != 0 ||
        report->names->unresolved != 0 || profile->cut_stacks != 0 ||
        frame_names_unresolved(report->frames, FRAME_ANY_MODULE) != 0 ||
        (profile->calls != NULL && trust_trace_is_lossy(profile->calls));

    for (size_t i = 0; i < LEDGER_COUNT_COUNT; i++)
        has_any = has_any || profile->counts[i] != 0;
    if (!has_any)
        return;
    report_print_heading(report, "Lost or not seen");
    for (size_t i = 0; i < LEDGER_COUNT_COUNT; i++) {
        /* The stacks themselves show which were not followed. */
        if (profile->counts[i] != 0 &&
            (i != LEDGER_COUNT_truncated_stacks || profile->cut_stacks == 0))
            printf("  %s %s\n", NUMBER(profile->counts[i]),
                   trust_count_sentence(sentence, i, profile->counts[i]));
    }
    print_count(profile->torn_sites,
                "call site[|s] changed while [it was|they were] read; live "
                "values below 0 are shown as 0");
    print_count(marked, "row[ is|s are] marked inaccurate: what could not be "
                        "tracked is missing; changes since are right");
    report_calls_print_losses(report);
    if (profile->cut_stacks != 0)
        printf(
            "  %zu of %zu stacks are not known to their end: their outermost "
            "call is [truncated]\n",
            profile->cut_stacks, profile->stacks.stack_count);
    if (profile->cut_stacks != 0 && report->frames != NULL) {
        size_t *counts = count_cut(report);

        print_most(report, counts, true);
        free(counts);
    }
    if (report->frames != NULL)
        print_unresolved(report);
    else
        print_count(report->names->unresolved,
                    is_of_calls
                        ? "caller[|s] without a name: name the program, or "
                          "the ledger of the same run, with --elf"
                        : "call site[|s] without a name: their file is gone, "
                          "has changed or has no symbols");
}

/* The one "%s" of a sentence stands for the text. */
static void print_notice(const struct profile_notice *notice)
{
    const char *sentence = trust_notice_sentence(notice->code);
    const char *hole = strstr(sentence, "%s");
    size_t length = hole == NULL ? strlen(sentence) : (size_t)(hole - sentence);

    printf("  %.*s", (int)length, sentence);
    report_print_safe(notice->text);
    if (hole != NULL)
        fputs(hole + 2, stdout);
    if (notice->times > 1)
        printf(" (%" PRIu64 " times)", notice->times);
    putchar('\n');
}

/* The heading comes before the first. */
static void print_text_line(void *context, const char *line)
{
    const struct report **report = context;

    if (*report != NULL)
        report_print_heading(*report, "About this text");
    *report = NULL;
    printf("  %s\n", line);
}

void report_write_trust(const struct report *report)
{
    const struct report *unsaid = report;

    print_lost(report);
    trust_tell_text(report->profile, print_text_line, &unsaid);
    trust_tell_double_counted(report->profile, print_text_line, &unsaid);
    print_changed(report);
    if (report->profile->notice_count != 0)
        report_print_heading(report, "Notices");
    for (size_t i = 0; i < report->profile->notice_count; i++)
        print_notice(&report->profile->notices[i]);
}

static void write_cut(struct json *json, const struct report *report)
{
    size_t *counts = count_cut(report);

    json_begin(json, "modules_without_unwind_tables", JSON_ARRAY);
    for (size_t i = 0; i < report->profile->module_count; i++) {
        if (counts[i] == 0)
            continue;
        json_begin(json, NULL, JSON_OBJECT);
        json_string(json, "module", report->profile->modules[i].path);
        json_unsigned(json, "stacks", counts[i]);
        json_end(json);
    }
    json_end(json);
    free(counts);
}

static void write_notices(struct json *json, const struct profile *profile)
{
    static const char *const names[] = { "none",
#define NOTICE_NAME(name, sentence) #name,
                                         LEDGER_NOTICE_LIST(NOTICE_NAME)
#undef NOTICE_NAME
    };

    json_begin(json, "notices", JSON_ARRAY);
    for (size_t i = 0; i < profile->notice_count; i++) {
        const struct profile_notice *notice = &profile->notices[i];

        json_begin(json, NULL, JSON_OBJECT);
        json_string(json, "code",
                    notice->code < LEDGER_NOTICE_COUNT ? names[notice->code]
                                                       : "unknown");
        json_string(json, "text", notice->text);
        json_unsigned(json, "times", notice->times);
        json_end(json);
    }
    json_end(json);
}

/* Those whose names may be another file's. */
static void write_changed(struct json *json, const struct report *report)
{
    json_begin(json, "changed_modules", JSON_ARRAY);
    for (size_t i = 0; i < report->profile->module_count; i++) {
        if (site_names_may_be_wrong(report->names, report->profile, i))
            json_string(json, NULL, report->profile->modules[i].path);
    }
    json_end(json);
}

static void write_text_line(void *json, const char *line)
{
    json_string(json, NULL, line);
}

void report_write_trust_json(struct json *json, const struct report *report)
{
    const struct profile *profile = report->profile;

    write_notices(json, profile);
    json_unsigned(json, "torn_sites", profile->torn_sites);
    json_unsigned(json, "unresolved_sites", report->names->unresolved);
    if (report->frames != NULL) {
        json_unsigned(json, "stacks", profile->stacks.stack_count);
        json_unsigned(json, "truncated_stacks", profile->cut_stacks);
        write_cut(json, report);
        json_unsigned(json, "frames", stacks_code_places(&profile->stacks));
        json_unsigned(json, "unresolved_frames",
                      frame_names_unresolved(report->frames, FRAME_ANY_MODULE));
    }
    write_changed(json, report);
    if (profile->allocinfo_version == 0)
        return;
    json_unsigned(json, "inaccurate_sites", profile->inaccurate_sites);
    json_string(json, "allocinfo_version",
                profile->allocinfo_version == 2 ? "2.0" : "1.0");
    json_begin(json, "allocinfo_notes", JSON_LINE_ARRAY);
    trust_tell_text(profile, write_text_line, json);
    trust_tell_double_counted(profile, write_text_line, json);
    json_end(json);
}
