/* SPDX-License-Identifier: Apache-2.0 */
/* trust.c - see names.h */
#include "tool/model/names/names.h"

#include <inttypes.h>
#include <stdarg.h>

struct trust_output {
    trust_line_fn *tell;
    void *context;
    bool is_raw; /* lines are not escaped */
};

static __attribute__((format(printf, 2, 3))) void
say(const struct trust_output *output, const char *format, ...)
{
    char line[TRUST_LINE_SIZE];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (!output->is_raw)
        escape_here(ESCAPE_ASCII, line);
    output->tell(output->context, line);
}

/* Tell "COUNT SENTENCE", with its [ONE|MANY]; nothing of none. */
static void say_count(const struct trust_output *output, uint64_t count,
                      const char *sentence)
{
    char text[TRUST_LINE_SIZE];

    if (count != 0)
        say(output, "%s %s", NUMBER(count),
            number_sentence(text, sizeof text, sentence, count));
}

const char *trust_sampling(char out[TRUST_LINE_SIZE], uint64_t interval,
                           const struct ledger_sampling *sampling)
{
    bool has_moved = sampling->least != interval;
    int length =
        snprintf(out, TRUST_LINE_SIZE,
                 "sampled at a budget of %g %%, mean interval%s%s%s %s",
                 sampling->budget / 1e4, has_moved ? " from " : "",
                 has_moved ? NUMBER_BYTES((int64_t)sampling->least) : "",
                 has_moved ? " to" : "", NUMBER_BYTES((int64_t)interval));

    if (sampling->budget == 0)
        snprintf(out, TRUST_LINE_SIZE, "one byte in %s was sampled",
                 NUMBER(interval));
    else if (sampling->capacity_ns != 0)
        snprintf(out + length, TRUST_LINE_SIZE - (size_t)length,
                 ", which took %.2g %% of the CPU time that there was",
                 (double)sampling->cost_ns * 100 /
                     (double)sampling->capacity_ns);
    return out;
}

static void say_numbers(const struct trust_output *output,
                        const struct profile *profile)
{
    char line[TRUST_LINE_SIZE];

    if (profile->sample_interval > 1)
        say(output, "estimates: %s",
            trust_sampling(line, profile->sample_interval, &profile->sampling));
    if (profile->text.reports == 0)
        say_count(output, profile->inaccurate_sites,
                  "row[ is|s are] marked inaccurate: earlier allocations are "
                  "missing, later changes are right");
}

static void say_peak(const struct trust_output *output,
                     const struct profile *profile)
{
    uint64_t peak =
        profile->peak_is_joint ? profile->peak_with_maps : profile->peak_bytes;

    if (profile->peak_uncertainty != 0)
        say(output, "peak of %s bytes: +- %s", NUMBER(profile->peak_bytes),
            NUMBER(profile->peak_uncertainty));
    if (profile->has_peaks && profile->peak_copied != peak)
        say(output, "peak of %s bytes: %s bytes attributed (%.2f %%)",
            NUMBER(peak), NUMBER(profile->peak_copied),
            (double)profile->peak_copied * 100 / (double)peak);
}

static const char *const count_sentences[] = {
#define COUNT_SENTENCE(name, sentence) sentence,
    LEDGER_COUNT_LIST(COUNT_SENTENCE)
#undef COUNT_SENTENCE
};

const char *trust_count_sentence(char out[TRUST_LINE_SIZE], size_t which,
                                 uint64_t count)
{
    return number_sentence(out, TRUST_LINE_SIZE, count_sentences[which], count);
}

static void say_lost(const struct trust_output *output,
                     const struct profile *profile)
{
    for (size_t i = 0; i < LEDGER_COUNT_COUNT; i++) {
        /* say_stacks() tells how many were truncated. */
        if (i != LEDGER_COUNT_truncated_stacks || profile->cut_stacks == 0)
            say_count(output, profile->counts[i], count_sentences[i]);
    }
    say_count(output, profile->torn_sites,
              "call site[|s] changed while [it was|they were] read; live "
              "values below 0 are shown as 0");
}

static void say_trace(const struct trust_output *output,
                      const struct call_summary *calls)
{
    char losses[TRACE_LOSSES_SIZE];

    if (trace_losses(losses, &calls->counts)[0] != '\0')
        say(output, "the trace: %s", losses);
    say_count(output, calls->earlier_boots,
              "earlier boot[|s] left out: figures are of the last one");
    say_count(output, calls->odd_sizes,
              "block[|s] of an impossible size, left out");
}

uint64_t trust_lost(const struct profile *profile)
{
    static const enum ledger_count losses[] = {
        LEDGER_COUNT_unseen_frees,  LEDGER_COUNT_lost_allocations,
        LEDGER_COUNT_lost_frees,    LEDGER_COUNT_lost_sites,
        LEDGER_COUNT_lost_maps,     LEDGER_COUNT_lost_stacks,
        LEDGER_COUNT_raw_map_calls,
    };
    uint64_t lost = 0;

    for (size_t i = 0; i < sizeof losses / sizeof losses[0]; i++)
        lost += profile->counts[losses[i]];
    return lost;
}

bool trust_is_lossy(const struct profile *profile)
{
    return profile->torn_sites != 0 || trust_lost(profile) != 0 ||
           profile->text.is_cut || profile->text.is_unended ||
           profile->text.is_headless || profile->text.rounded != 0 ||
           profile->text.reports != 0 ||
           (profile->calls != NULL &&
            (trace_counts_are_lossy(&profile->calls->counts) ||
             profile->calls->odd_sizes != 0));
}

static void say_stacks(const struct trust_output *output,
                       const struct profile *profile,
                       const struct frame_names *frames, size_t nameless)
{
    bool is_of_calls = profile->calls != NULL && profile->module_count == 0;
    size_t unresolved = frame_names_unresolved(frames, FRAME_ANY_MODULE);

    if (profile->cut_stacks != 0)
        say(output,
            "%s of %s stacks are truncated: their outermost call is "
            "[truncated]",
            NUMBER(profile->cut_stacks), NUMBER(profile->stacks.stack_count));
    if (unresolved != 0)
        say(output, "%s of %s frames have no name", NUMBER(unresolved),
            NUMBER(stacks_code_places(&profile->stacks)));
    if (frames == NULL)
        say_count(output, nameless,
                  is_of_calls
                      ? "caller[|s] without a name: name the program, or the "
                        "ledger of the same run, with --elf"
                      : "call site[|s] without a name: their file is gone, "
                        "has changed or has no symbols");
}

const char *trust_notice_sentence(uint32_t code)
{
    static const char *const sentences[] = { "",
#define NOTICE_SENTENCE(name, sentence) sentence,
                                             LEDGER_NOTICE_LIST(NOTICE_SENTENCE)
#undef NOTICE_SENTENCE
    };

    return code == PROFILE_NOTICE_OF_SOURCE ? "%s"
           : code < LEDGER_NOTICE_COUNT     ? sentences[code]
                                            : "notice of a newer tally: %s";
}

static void say_notice(const struct trust_output *output,
                       const struct profile_notice *notice)
{
    const char *sentence = trust_notice_sentence(notice->code);
    const char *hole = strstr(sentence, "%s");
    char times[32] = "";

    if (notice->times > 1)
        snprintf(times, sizeof times, " (%" PRIu64 " times)", notice->times);
    say(output, "%.*s%s%s%s",
        (int)(hole == NULL ? strlen(sentence) : (size_t)(hole - sentence)),
        sentence, notice->text, hole == NULL ? "" : hole + 2, times);
}

static void say_changed(const struct trust_output *output,
                        const struct profile *profile,
                        const struct site_names *names)
{
    for (size_t i = 0; i < profile->module_count; i++) {
        if (site_names_may_be_wrong(names, profile, i))
            say(output,
                "names in %s may be wrong: the file has no build-id and "
                "changed after the run",
                profile->modules[i].path);
        if (symbols_unread(names->symbols, (int)i) != NULL)
            say(output,
                "%s: lines are missing: they are in %s; put that or %s.dwp "
                "beside it",
                profile->modules[i].path,
                symbols_unread(names->symbols, (int)i),
                base_name(profile->modules[i].path));
    }
}

void trust_tell_text(const struct profile *profile, trust_line_fn *tell,
                     void *context)
{
    const struct trust_output output = { tell, context, false };
    const struct allocinfo_remarks *text = &profile->text;

    say_count(&output, text->apart,
              "blank line[|s], prompt[|s] or byte order mark[|s] around the "
              "rows, skipped");
    say_count(&output, text->prefixes, "prefix[|es] of grep, skipped");
    if (text->is_headless)
        say(&output, "the first line is truncated and was left out");
    if (text->is_bare)
        say(&output, "the first row is not padded as the next: if the text was "
                     "cut there, its size lacks digits");
    if (text->is_cut)
        say(&output, "the last line is truncated and was left out");
    if (text->is_unended)
        say(&output, "the last line has no newline; its end may be missing");
    if (text->rounded != 0)
        say(&output, "%s rounded size%s (K is 1,024 bytes): sum +- %s bytes",
            NUMBER(text->rounded), number_plural(text->rounded),
            NUMBER(text->rounding));
    if (text->reports != 0)
        say(&output, "a kernel's log has the largest rows only: their sum is "
                     "not the total; sizes are rounded by less than 1 %%");
    if (text->reports > 1)
        say(&output, "%s reports in the log, the last one is used",
            NUMBER(text->reports));
    say_count(&output, text->skipped,
              "other message[|s] between rows, skipped");
    say_count(&output, text->below_zero,
              "row[|s] below zero (8 EiB or more), shown as 0 bytes");
}

void trust_tell_double_counted(const struct profile *profile,
                               trust_line_fn *tell, void *context)
{
    const struct trust_output output = { tell, context, false };

    if (profile->slab_bytes != 0)
        say(&output,
            "counted twice: %s bytes of slab pages (alloc_slab_page) and the "
            "objects in them; without the pages %s bytes",
            NUMBER_SIGNED(profile->slab_bytes),
            NUMBER_SIGNED(profile->heap.live_bytes - profile->slab_bytes));
}

static void tell_all(const struct trust_output *output,
                     const struct profile *profile,
                     const struct site_names *names,
                     const struct frame_names *frames, size_t nameless)
{
    say_numbers(output, profile);
    trust_tell_text(profile, output->tell, output->context);
    trust_tell_double_counted(profile, output->tell, output->context);
    say_lost(output, profile);
    if (profile->calls != NULL)
        say_trace(output, profile->calls);
    say_stacks(output, profile, frames, nameless);
    say_changed(output, profile, names);
    for (size_t i = 0; i < profile->notice_count; i++)
        say_notice(output, &profile->notices[i]);
    say_peak(output, profile);
}

void trust_tell(const struct profile *profile, const struct site_names *names,
                const struct frame_names *frames, trust_line_fn *tell,
                void *context)
{
    const struct trust_output output = { tell, context, false };

    tell_all(&output, profile, names, frames, 0);
}

void trust_tell_raw(const struct profile *profile,
                    const struct site_names *names,
                    const struct frame_names *frames, trust_line_fn *tell,
                    void *context)
{
    const struct trust_output output = { tell, context, true };

    tell_all(&output, profile, names, frames, names->unresolved);
}

static void add_line(void *context, const char *line)
{
    fprintf(context, "; %s", line);
}

char *trust_join(const struct profile *profile, const struct site_names *names,
                 const struct frame_names *frames)
{
    char *joined = NULL;
    size_t size = 0;
    FILE *text = memory_or_exit(open_memstream(&joined, &size));

    trust_tell(profile, names, frames, add_line, text);
    if (fclose(text) != 0)
        exit_out_of_memory();
    return joined;
}
