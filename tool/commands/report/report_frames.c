/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_frames.c - frames that have no name, why, and what would help
 */
#include "tool/commands/report/report_frames.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tool/symbols/debian_package.h"
#include "tool/text/number.h"

enum { MODULES_SHOWN = 5 };

size_t report_frames_unresolved(const struct report *report)
{
    return report->frames == NULL ? 0
                                  : frame_names_unresolved_all(report->frames);
}

/* What the modules that are shown lack, as bits by enum symbols_lack. */
static unsigned print_module(const struct report *report, uint32_t module,
                             size_t count)
{
    const char *path = report->profile->modules[module].path;
    enum symbols_lack lack = symbols_lack(report->names->symbols, (int)module);
    char package[DEBIAN_PACKAGE_SIZE];
    char number[NUMBER_SIZE];

    printf("    %6s in ", number_unsigned(number, count));
    report_print_safe(path);
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

typedef unsigned print_module_fn(const struct report *report, uint32_t module,
                                 size_t count);

/* Print the modules with the highest counts; returns all bits that `print` returned. */
static unsigned print_most(const struct report *report, size_t *counts,
                           print_module_fn *print)
{
    size_t module_count = report->profile->module_count;
    unsigned all = 0;

    for (unsigned shown = 0; module_count > 0 && shown < MODULES_SHOWN;
         shown++) {
        uint32_t module = next_module(counts, module_count);

        if (counts[module] == 0)
            break;
        all |= print(report, module, counts[module]);
        counts[module] = 0;
    }
    return all;
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

void report_frames_write_unresolved(const struct report *report)
{
    size_t module_count = report->profile->module_count;
    size_t all = report_frames_unresolved(report);
    size_t nowhere = frame_names_unresolved(report->frames, PROFILE_NO_MODULE);
    size_t *counts = calloc(module_count + 1, sizeof *counts);
    char number[NUMBER_SIZE];
    unsigned lacks = 0;

    if (all != 0)
        printf("  %s of %zu frames have no name:\n",
               number_unsigned(number, all),
               report->profile->stacks.place_count);
    for (size_t i = 0; counts != NULL && i < module_count; i++)
        counts[i] = frame_names_unresolved(report->frames, (uint32_t)i);
    if (counts != NULL)
        lacks = print_most(report, counts, print_module);
    if (nowhere != 0)
        printf("    %6s in %s\n", number_unsigned(number, nowhere),
               nowhere_words(report->profile));
    print_advice(lacks);
    free(counts);
}

static unsigned print_cut(const struct report *report, uint32_t module,
                          size_t count)
{
    char number[NUMBER_SIZE];

    printf("    %6s in ", number_unsigned(number, count));
    report_print_safe(report->profile->modules[module].path);
    puts(", whose code has no unwind tables: build it with "
         "-fasynchronous-unwind-tables");
    return 0;
}

/*
 * Stacks that end in code without unwind tables, by module; NULL without memory.
 * Each place is asked about once, however many stacks end there.
 */
static size_t *count_cut(const struct report *report)
{
    const struct profile *profile = report->profile;
    const struct stacks *stacks = &profile->stacks;
    size_t *ends = calloc(stacks->place_count + 1, sizeof *ends);
    size_t *counts = calloc(profile->module_count + 1, sizeof *counts);
    uint32_t place;

    for (size_t i = 0; ends != NULL && i < stacks->stack_count; i++) {
        if (stacks_is_cut_at(stacks, &stacks->stacks[i], &place) &&
            place != STACK_NO_PLACE)
            ends[place]++;
    }
    for (place = 0;
         ends != NULL && counts != NULL && place < stacks->place_count;
         place++) {
        const struct profile_place *end = &stacks->places[place];

        if (ends[place] != 0 && end->module != PROFILE_NO_MODULE &&
            symbols_lacks_caller(report->names->symbols, (int)end->module,
                                 end->address))
            counts[end->module] += ends[place];
    }
    free(ends);
    return counts;
}

void report_frames_write_cut(const struct report *report)
{
    size_t *counts = count_cut(report);

    if (counts != NULL)
        print_most(report, counts, print_cut);
    free(counts);
}

void report_frames_write_cut_json(struct json *json,
                                  const struct report *report)
{
    size_t *counts = count_cut(report);

    json_begin_array(json, "modules_without_unwind_tables");
    for (size_t i = 0; counts != NULL && i < report->profile->module_count;
         i++) {
        if (counts[i] == 0)
            continue;
        json_begin_object(json, NULL);
        json_string(json, "module", report->profile->modules[i].path);
        json_unsigned(json, "stacks", counts[i]);
        json_end_object(json);
    }
    json_end_array(json);
    free(counts);
}
