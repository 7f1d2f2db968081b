/* SPDX-License-Identifier: Apache-2.0 */
/*
 * accuracy.c - estimates, losses, truncated stacks and missing names
 *
 * Lines are those of trust.c; modules whose frames have no name, or whose code
 * ends stacks, come with the remedy.
 */
#include "tool/facets/facet.h"

enum { MODULES_SHOWN = 5, SHARE_TOLD = 10 };

/* Write why frames in a module have no name, and return it as a bit by enum
   symbols_lack. */
static unsigned write_lack(const struct facet_subject *subject, uint32_t module,
                           FILE *out)
{
    const char *path = subject->profile->modules[module].path;
    enum symbols_lack lack = symbols_lack(subject->names->symbols, (int)module);
    char package[DEBIAN_PACKAGE_SIZE];

    if (lack == SYMBOLS_LACK_FILE)
        fputs("not found here", out);
    else if (lack == SYMBOLS_LACK_SAME)
        fputs("changed since the run", out);
    else if (debian_package_find(path, package))
        fprintf(out, "stripped: install %s", package);
    else
        fputs("stripped: build it with -g, or install its symbols", out);
    return 1u << lack;
}

/* Return the module with the highest count, the first of several. */
static uint32_t next_module(const size_t *counts, size_t module_count)
{
    size_t best = 0;

    for (size_t i = 1; i < module_count; i++) {
        if (counts[i] > counts[best])
            best = i;
    }
    return (uint32_t)best;
}

/* Print the modules with the highest counts, of stacks truncated there or of
   frames without a name; return what frames lack, as bits. */
static unsigned print_most(const struct facet_subject *subject, size_t *counts,
                           bool is_cut)
{
    size_t module_count = subject->profile->module_count;
    unsigned lacks = 0;

    for (unsigned shown = 0; module_count > 0 && shown < MODULES_SHOWN;
         shown++) {
        uint32_t module = next_module(counts, module_count);

        if (counts[module] == 0)
            break;
        printf("    %6s in ", NUMBER(counts[module]));
        facet_print_safe(subject->profile->modules[module].path);
        fputs(", ", stdout);
        if (is_cut)
            fputs("without unwind tables: build it with "
                  "-fasynchronous-unwind-tables",
                  stdout);
        else
            lacks |= write_lack(subject, module, stdout);
        putchar('\n');
        counts[module] = 0;
    }
    return lacks;
}

/* Return words for frames that lie in no file of the source. */
static const char *nowhere_words(const struct profile *profile)
{
    if (profile->calls != NULL && !profile->calls->knows_files)
        return "no known file: name the program, or a recording of the "
               "same run, with --elf";
    return profile->counts[LEDGER_COUNT_lost_modules] != 0
               ? "files that were not recorded, or in generated code"
               : "generated code";
}

static void print_unresolved(const struct facet_subject *subject)
{
    size_t module_count = subject->profile->module_count;
    size_t all = frame_names_unresolved(subject->frames, FRAME_ANY_MODULE);
    size_t nowhere = frame_names_unresolved(subject->frames, PROFILE_NO_MODULE);
    OWNED size_t *counts = memory_zeroed(module_count, sizeof *counts);
    unsigned lacks;

    if (all == 0)
        return;
    puts("  frames without a name:");
    for (size_t i = 0; i < module_count; i++)
        counts[i] = frame_names_unresolved(subject->frames, (uint32_t)i);
    lacks = print_most(subject, counts, false);
    if (nowhere != 0)
        printf("    %6s in %s\n", NUMBER(nowhere),
               nowhere_words(subject->profile));
    if (lacks != 0)
        puts("    --debuginfod downloads symbols.");
    if ((lacks & (1u << SYMBOLS_LACK_FILE | 1u << SYMBOLS_LACK_SAME)) != 0)
        puts("    --sysroot=DIR uses the recorded machine's files in DIR.");
}

/* Count stacks that end in code without unwind tables, by module; the caller
   frees it. Each place is examined once. */
static size_t *count_cut(const struct facet_subject *subject)
{
    const struct profile *profile = subject->profile;
    const struct stacks *stacks = &profile->stacks;
    OWNED size_t *ends = memory_zeroed(stacks->place_count, sizeof *ends);
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
            symbols_lacks_caller(subject->names->symbols, (int)end->module,
                                 end->address))
            counts[end->module] += ends[place];
    }
    return counts;
}

/* Print the heading before the first line. */
static void print_line(void *context, const char *line)
{
    const struct facet_subject **unsaid = context;

    if (*unsaid != NULL)
        facet_print_heading(*unsaid, "Accuracy");
    *unsaid = NULL;
    fputs("  ", stdout);
    facet_print_safe(line);
    putchar('\n');
}

void accuracy_print(const struct facet_subject *subject)
{
    const struct facet_subject *unsaid = subject;

    trust_tell_raw(subject->profile, subject->names, subject->frames,
                   print_line, &unsaid);
    if (subject->frames == NULL)
        return;
    if (subject->profile->cut_stacks != 0) {
        OWNED size_t *counts = count_cut(subject);

        print_most(subject, counts, true);
    }
    print_unresolved(subject);
}

/* Tell which module has most of the bytes without a function, unless they are
   few. */
static void screen_accuracy(const struct facet_subject *subject, FILE *out)
{
    const struct profile *profile = subject->profile;
    enum measure measure =
        profile->has_peaks ? MEASURE_PEAK_BYTES : MEASURE_LIVE_BYTES;
    OWNED size_t *counts = memory_zeroed(profile->module_count, sizeof *counts);
    size_t held = 0;
    uint32_t module;

    for (size_t i = 0; i < profile->caller_count; i++) {
        const struct profile_site *site = &profile->callers[i];
        int64_t bytes = measure_of(&site->amounts, measure);

        if (bytes <= 0)
            continue;
        held += (size_t)bytes;
        if (site->module != PROFILE_NO_MODULE && site->label == NULL &&
            subject->names->sites[i].function == NULL)
            counts[site->module] += (size_t)bytes;
    }
    module = next_module(counts, profile->module_count);
    if (profile->module_count > 0 && counts[module] > held / SHARE_TOLD) {
        fprintf(out, "  no names   %s, ",
                base_name(profile->modules[module].path));
        fputs(write_lack(subject, module, out) == 1u << SYMBOLS_LACK_SYMBOLS
                  ? ", or --debuginfod\n"
                  : ": --sysroot=DIR or --debuginfod\n",
              out);
    }
    for (module = 0; module < profile->module_count; module++) {
        const char *file = symbols_unread(subject->names->symbols, (int)module);

        if (file == NULL)
            continue;
        fprintf(out, "  no lines   %s: %s is missing; put it beside %s\n",
                base_name(profile->modules[module].path), base_name(file),
                base_name(profile->modules[module].path));
        break;
    }
}

static void write_cut(struct json *json, const struct facet_subject *subject)
{
    OWNED size_t *counts = count_cut(subject);

    json_begin(json, "modules_without_unwind_tables", JSON_ARRAY);
    for (size_t i = 0; i < subject->profile->module_count; i++) {
        if (counts[i] == 0)
            continue;
        json_begin(json, NULL, JSON_OBJECT);
        json_string(json, "module", subject->profile->modules[i].path);
        json_unsigned(json, "stacks", counts[i]);
        json_end(json);
    }
    json_end(json);
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

static void write_changed(struct json *json,
                          const struct facet_subject *subject)
{
    json_begin(json, "changed_modules", JSON_ARRAY);
    for (size_t i = 0; i < subject->profile->module_count; i++) {
        if (site_names_may_be_wrong(subject->names, subject->profile, i))
            json_string(json, NULL, subject->profile->modules[i].path);
    }
    json_end(json);
}

static void write_text_line(void *json, const char *line)
{
    json_string(json, NULL, line);
}

static void write_accuracy(const struct facet_subject *subject,
                           struct json *json)
{
    const struct profile *profile = subject->profile;

    write_notices(json, profile);
    json_unsigned(json, "torn_sites", profile->torn_sites);
    json_unsigned(json, "unresolved_sites", subject->names->unresolved);
    if (subject->frames != NULL) {
        json_unsigned(json, "stacks", profile->stacks.stack_count);
        json_unsigned(json, "truncated_stacks", profile->cut_stacks);
        write_cut(json, subject);
        json_unsigned(json, "frames", stacks_code_places(&profile->stacks));
        json_unsigned(
            json, "unresolved_frames",
            frame_names_unresolved(subject->frames, FRAME_ANY_MODULE));
    }
    write_changed(json, subject);
    json_begin(json, "accuracy", JSON_ARRAY);
    trust_tell(profile, subject->names, subject->frames, write_text_line, json);
    json_end(json);
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

const struct facet accuracy_facet = {
    .screen = screen_accuracy,
    .print = accuracy_print,
    .write = write_accuracy,
};
