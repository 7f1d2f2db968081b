/* SPDX-License-Identifier: Apache-2.0 */
/*
 * complaint.c - error messages; see command.h
 */
#include "tool/commands/options/command.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <sys/stat.h>

#include "tool/files/files.h"
#include "tool/model/profile/coverage.h"

/* Most characters shown of a value. */
enum { SHOWN_LIMIT = 200 };

static _Atomic bool is_silent;

void tell_nothing(void)
{
    is_silent = true;
}

/* Print a line also without memory, possibly truncated. */
int tell_line(const char *format, ...)
{
    char room[1024], *longer = NULL;
    va_list arguments;
    int length;

    if (is_silent)
        return COMMAND_USAGE;
    va_start(arguments, format);
    length = vsnprintf(room, sizeof room, format, arguments);
    va_end(arguments);
    va_start(arguments, format);
    if (length >= (int)sizeof room && vasprintf(&longer, format, arguments) < 0)
        longer = NULL;
    va_end(arguments);
    fputs("tally: ", stderr);
    escape_write(stderr, ESCAPE_TERMINAL, longer != NULL ? longer : room,
                 SIZE_MAX);
    fputc('\n', stderr);
    free(longer);
    return COMMAND_USAGE;
}

char *shell_word(const char *word, bool is_file)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./,:=@%+";
    bool is_number = word[strspn(word, "0123456789")] == '\0'; /* a pid */
    const char *before = is_file && (*word == '-' || is_number) ? "./" : "";
    char room[ESCAPE_ROOM], *text = NULL;
    size_t size = 0;
    FILE *out;

    if (word[strspn(word, plain)] == '\0')
        return memory_print("%s%s", before, word);
    out = memory_or_exit(open_memstream(&text, &size));
    fprintf(out, "'%s", before);
    while (*word != '\0') {
        if (*word == '\'')
            fputs("'\\'", out);
        fwrite(room, 1, escape_next(ESCAPE_TERMINAL, &word, room), out);
    }
    fputc('\'', out);
    if (fclose(out) != 0)
        exit_out_of_memory();
    return text;
}

void tell_report(const char *what, const char *file)
{
    OWNED char *word = shell_word(file, true);

    fprintf(stderr, "tally: %s: tally report %s\n", what, word);
}

int complain(const char *what, const char *why, const char *advice)
{
    return tell_line("%s: %s; %s", what, why, advice);
}

int complain_about_output(const char *path)
{
    if (errno == EEXIST)
        return complain(path, "exists already",
                        "replace it with --force, or name another with "
                        "-o FILE");
    return complain(path, former_output_error(),
                    "name another file with -o FILE");
}

int refuse_taken(bool is_forced, const char *path)
{
    struct stat taken;

    if (!is_forced && lstat(path, &taken) == 0)
        errno = EEXIST;
    else if (output_try(path) == 0)
        return COMMAND_GO_ON;
    return complain_about_output(path);
}

int make_way(bool is_forced, const char *path, const char *read)
{
    return is_forced && former_output_remove(path, read) < 0
               ? complain_about_output(path)
               : COMMAND_GO_ON;
}

int complain_about_source(const char *name,
                          const struct source_failure *failure)
{
    if (!failure->has_offset && failure->line == 0)
        return complain(name, failure->why, failure->advice);
    return tell_line("%s: %s, at %s %" PRIu64 "; %s", name, failure->why,
                     failure->line != 0 ? "line" : "byte",
                     failure->line != 0 ? failure->line : failure->offset,
                     failure->advice);
}

int complain_about_value(const char *option, const char *value,
                         const char *known)
{
    return tell_line("%.40s=%.*s: unknown value; use %s", option, SHOWN_LIMIT,
                     value, known);
}

int complain_about_near(const char *option, const char *word,
                        const struct word_list *words, const char *known)
{
    char near[NEAR_SIZE];

    return tell_line("%.40s=%.*s: unknown value%s; use %s", option, SHOWN_LIMIT,
                     word, near_note(near, words, word), known);
}

int complain_about_word(const char *option, const char *word,
                        const struct word_list *known)
{
    char list[WORDS_SIZE];

    words_print(list, known);
    return complain_about_near(option, word, known, list);
}

static int complain_about_peak(const char *option,
                               const struct profile *profile)
{
    if (profile->sample_interval != 0)
        return complain(option, "samples have no peak by call site",
                        "record without --stacks=sampled");
    if (profile->image_count > 1)
        return complain(option, "each process image has its own peak",
                        "name the ledger of one");
    return complain(option, "the source has no peak by call site",
                    "use an exact recording of one process image, or a trace");
}

int complain_about_measure(const char *option, const struct profile *profile,
                           enum measure measure, const char *others)
{
    if (measure == MEASURE_PEAK_BYTES || measure == MEASURE_PEAK_BLOCKS)
        return complain_about_peak(option, profile);
    if (measure == MEASURE_TEMPORARY)
        return complain(option, "the source has no temporary blocks",
                        "use a recording of tally record, or a trace");
    if (measure == MEASURE_GROWN)
        return complain(option, "the source has no realloc counts",
                        "use an exact recording of tally record");
    if (measure == MEASURE_RESIDENT)
        return complain(option, "the source has no residency by call site",
                        "name the PID of a recorded process, or a file of "
                        "tally snapshot --resident");
    return complain(option, "the source has no totals", others);
}

void note_sampling(const char *source, const struct profile *profile)
{
    char line[TRUST_LINE_SIZE];

    if (profile->sample_interval > 1)
        tell_line(
            "%s: numbers are estimates: %s; tally report shows the intervals",
            source,
            trust_sampling(line, profile->sample_interval, &profile->sampling));
}

static void note_text(void *source, const char *line)
{
    tell_line("%s: %s", (const char *)source, line);
}

void note_losses(const char *source, const struct profile *profile)
{
    uint64_t lost = trust_lost(profile);

    if (lost != 0)
        tell_line("%s: %s event%s lost or not recorded; see tally report",
                  source, NUMBER(lost), lost == 1 ? " was" : "s were");
    else if (coverage_is_partial(profile))
        tell_line("%s: some allocations were not recorded; see tally report",
                  source);
    trust_tell_text(profile, note_text, (void *)(uintptr_t)source);
}
