/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_frames.c - frames that have no name, why, and what would help
 */
#include "tool/commands/report_frames.h"

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

/* The module with the most below `limit`, or of those with as many the next. */
static uint32_t next_module(const size_t *counts, size_t module_count)
{
    size_t best = 0;

    for (size_t i = 1; i < module_count; i++) {
        if (counts[i] > counts[best])
            best = i;
    }
    return (uint32_t)best;
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
    for (unsigned shown = 0;
         counts != NULL && module_count > 0 && shown < MODULES_SHOWN; shown++) {
        uint32_t module = next_module(counts, module_count);

        if (counts[module] == 0)
            break;
        lacks |= print_module(report, module, counts[module]);
        counts[module] = 0;
    }
    if (nowhere != 0)
        printf("    %6s in no file: code made while the program ran\n",
               number_unsigned(number, nowhere));
    print_advice(lacks);
    free(counts);
}
