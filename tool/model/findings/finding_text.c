/* SPDX-License-Identifier: Apache-2.0 */
/*
 * finding_text.c - findings in words
 *
 * In a template %b is bytes, %n blocks, %e bytes of one block, %p the share, %w
 * the whole of it, and [ONE|MANY] follows the number of blocks.
 */
#include "tool/model/findings/findings.h"

char *finding_call(const struct profile *profile,
                   const struct site_names *names, size_t number)
{
    const struct site_name *name = &names->sites[number];
    char *line, *text;

    if (name->function == NULL)
        return memory_print("%s%s%s",
                            name->module == NULL ? "" : base_name(name->module),
                            name->module == NULL ? "" : "+",
                            ADDRESS(profile->callers[number].place));
    line =
        name->file == NULL
            ? memory_text(name->module == NULL ? "?" : base_name(name->module))
            : site_line(base_name(name->file), name->line);
    text = memory_print("%s (%s)", site_name_short(name), line);
    free(line);
    return text;
}

/* Write one figure of the template. */
static void write_figure(FILE *out, const struct finding *finding, char figure)
{
    switch (figure) {
    case 'b':
        fputs(NUMBER_BYTES(finding->bytes), out);
        break;
    case 'n':
        fputs(NUMBER(finding->blocks), out);
        break;
    case 'e':
        fputs(NUMBER_BYTES(finding->bytes / (int64_t)finding->blocks), out);
        break;
    case 'p':
        fprintf(out, "%.0f %%", finding->share * 100);
        break;
    case '%':
        fputc('%', out);
        break;
    default: /* 'w' */
        fputs(NUMBER_BYTES((int64_t)((double)finding->bytes / finding->share)),
              out);
    }
}

char *finding_figures(const struct finding *finding)
{
    char *text = NULL, words[128];
    size_t size = 0;
    FILE *out = memory_or_exit(open_memstream(&text, &size));

    number_sentence(words, sizeof words, finding->words, finding->blocks);
    if (finding->others != 0)
        fprintf(out, finding->is_sum ? " and %zu more" : " (+%zu)",
                finding->others);
    if (finding->site != FINDING_NO_SITE)
        fputs(": ", out);
    for (const char *at = words; *at != '\0'; at++) {
        if (*at == '%')
            write_figure(out, finding, *++at);
        else
            fputc(*at, out);
    }
    fprintf(out, "; %s", finding->option);
    if (fclose(out) != 0)
        exit_out_of_memory();
    return text;
}

char *findings_unjudged(const struct findings *findings)
{
    size_t count = findings->unjudged_count, size = 0;
    const char *before = NULL;
    char *text = NULL;
    FILE *out;

    if (count == 0)
        return NULL;
    if (!findings->has_judged &&
        findings->unjudged[0].lacks == findings->unjudged[count - 1].lacks)
        return memory_print(
            "not judged: %s",
            findings->coverage.why[findings->unjudged[0].lacks]);
    out = memory_or_exit(open_memstream(&text, &size));
    for (unsigned part = 0; part < COVERAGE_PARTS; part++) {
        const char *why = findings->coverage.why[part];

        for (size_t i = 0; i < count; i++) {
            if (findings->unjudged[i].lacks != part)
                continue;
            if (before == NULL)
                fputs("not judged: ", out);
            else if (strcmp(why, before) == 0)
                fputs(", ", out);
            else
                fprintf(out, " (%s); ", before);
            fputs(findings->unjudged[i].kind, out);
            before = why;
        }
    }
    fprintf(out, " (%s)", before);
    if (fclose(out) != 0)
        exit_out_of_memory();
    return text;
}

char *finding_text(const struct profile *profile,
                   const struct site_names *names,
                   const struct finding *finding)
{
    OWNED char *figures = finding_figures(finding);
    OWNED char *name = finding->site == FINDING_NO_SITE
                           ? memory_text("")
                           : finding_call(profile, names, finding->site);
    char *text = memory_print("%s%s", name, figures);

    return text;
}
