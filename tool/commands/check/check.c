/* SPDX-License-Identifier: Apache-2.0 */
/* check.c - tally check: judge programs by their budgets, or learn how runs
   differ */
#include <fcntl.h>

#include "tool/commands/check/check_parts.h"
#include "tool/files/files.h"

static const char default_budget[] = "tally.budget.yaml";

/* Rules without a budget file, for runs with baselines. */
static char default_rules[] =
    "rules: [growth peak <= 5 %, growth live <= 5 %, growth total <= 5 %]";

/* Read a budget; `name` NULL: the default rules. */
static int read_budget(struct check *check, const char *name, FILE *in)
{
    struct yaml_failure failure;

    if (name != NULL)
        ARRAY_ADD(check->budget_files, check->budget_count, name);
    return budget_read(&check->budget, name, in, &failure) == 0
               ? COMMAND_GO_ON
               : complain(failure.where, failure.why, failure.advice);
}

/* Open no FIFO, which would block: the user did not name this file. */
static int read_default_budget(struct check *check)
{
    int fd = regular_file_open(AT_FDCWD, default_budget, O_RDONLY);

    if (fd >= 0)
        return read_budget(check, default_budget,
                           memory_or_exit(fdopen(fd, "r")));
    if (errno == ENOENT && check->baseline_count > 0)
        return read_budget(check, NULL,
                           memory_or_exit(fmemopen(
                               default_rules, strlen(default_rules), "r")));
    return complain(default_budget, regular_file_error(),
                    "write budgets there (see tally check --help), or use "
                    "--budget or --baseline");
}

static int take_budget(const char *name, const char *value, void *whole)
{
    (void)name;
    return read_budget(whole, value, fopen(value, "re"));
}

static int take_baseline(const char *name, const char *value, void *whole)
{
    struct check *check = whole;

    (void)name;
    ARRAY_ADD(check->baselines, check->baseline_count,
              (struct check_source){ .load.name = value });
    return COMMAND_GO_ON;
}

static const struct option_rule rules[] = {
    { "budget", OPTION_TAKES_WHOLE(take_budget) },
    { "baseline", OPTION_TAKES_WHOLE(take_baseline) },
    { "learn", OPTION_SETS(struct check, learns) },
    { "output", 'o', OPTION_NAMES(struct check, output) },
    { "force", 'f', OPTION_SETS(struct check, is_forced) },
    { "format", OPTION_WORD(struct check, form, result_form_words) },
    { "json", OPTION_JSON(struct check, form) },
    { 0 },
};

static const struct option_need needs[] = { { "output", "learn" }, { 0 } };

static const struct option_table table = {
    .command = "check",
    .help = help_check,
    .arguments = ARGUMENT_FILE | ARGUMENT_PROCESS,
    .shared = OPTIONS_PROCESS | OPTIONS_SYMBOLS | OPTIONS_PROJECT,
    .rules = rules,
    .needs = needs,
};

static int open_source(struct check_source *source, const char *name,
                       const struct source_options *options)
{
    const struct profile *profile;
    int status;

    source->load = source_load_of(name, options);
    source->load.at.time = HISTORY_UNUSED;
    status = source_load_open(&source->load);
    if (status == COMMAND_DONE)
        status = source_load_sum(&source->load);
    if (status == COMMAND_DONE)
        status = source_load_profile(&source->load);
    if (status != COMMAND_DONE)
        return status;
    profile = source->load.profile;
    source->program =
        profile->image_count == 0 ? "" : profile->images[0].program;
    if (profile->image_count > 0)
        source->called = memory_print(
            "%.*s", (int)strcspn(profile->images[0].command_line, " "),
            profile->images[0].command_line);
    source->subject =
        (struct budget_subject){ .of.profile = source->load.profile,
                                 .search = options->choice.search,
                                 .fold = options->choice.fold };
    note_sampling(name, profile);
    note_losses(name, profile);
    return COMMAND_DONE;
}

static void close_source(struct check_source *source)
{
    free(source->called);
    source_load_close(&source->load);
}

static int check_all(struct check *check, char **names, int count)
{
    int status = COMMAND_DONE;

    for (int i = 0; i < count && status == COMMAND_DONE; i++) {
        struct check_source source = { 0 };

        status = open_source(&source, names[i], &check->of);
        if (status == COMMAND_DONE)
            check_rules(check, &source);
        close_source(&source);
    }
    if (status != COMMAND_DONE)
        return status;
    if (check->list.count == 0)
        return complain("check", "no rule applies to these programs",
                        "compare program: in the budget with tally report");
    check->list.command = "check";
    result_forms[check->form].write(stdout, &check->list);
    if (check->list.counts[RESULT_BROKEN] > 0)
        return COMMAND_NO;
    return check->list.counts[RESULT_UNKNOWN] > 0 ? COMMAND_USAGE
                                                  : COMMAND_DONE;
}

static void write_line(struct check *check, FILE *out, const char *program,
                       const struct budget_figure *figure, const char *pattern)
{
    struct budget_noise noise = check_noise(check, program, figure, pattern);
    OWNED char *text = NULL;

    if (noise.runs < 2)
        return;
    text = memory_print(
        "%s%s%s%s %.1f +- %.1f of %zu", figure->name,
        pattern == NULL ? "" : " \"", pattern == NULL ? "" : pattern,
        pattern == NULL ? "" : "\"", noise.mean, noise.deviation, noise.runs);
    fputs("      - ", out);
    escape_json(out, text);
    fputc('\n', out);
}

static void write_program(struct check *check, FILE *out, const char *program)
{
    const struct budget_entry *entry;
    size_t at = 0;

    fputs("  - program: ", out);
    escape_json(out, base_name(program));
    fputs("\n    noise:\n", out);
    for (size_t i = 0; i < budget_figure_words.count; i++)
        write_line(check, out, program, &budget_figures[i], NULL);
    while ((entry = budget_next(&check->budget, program, NULL, &at)) != NULL) {
        for (size_t i = 0; i < entry->rule_count; i++) {
            const struct budget_rule *rule = &entry->rules[i];

            if (rule->is_growth && rule->pattern != NULL)
                write_line(check, out, program, rule->figure, rule->pattern);
        }
    }
}

/* Write the noise of each program, and of each pattern in a rule of growth. */
static void write_noise(struct check *check, FILE *out)
{
    fputs("# Written by tally check --learn: mean and deviation of runs.\n"
          "budgets:\n",
          out);
    for (size_t i = 0; i < check->baseline_count; i++) {
        const char *program = check->baselines[i].program;
        size_t first = 0;

        while (strcmp(base_name(check->baselines[first].program),
                      base_name(program)) != 0)
            first++;
        if (first == i)
            write_program(check, out, program);
    }
}

static int learn(struct check *check)
{
    bool is_file = check->output != NULL && strcmp(check->output, "-") != 0;
    FILE *out = stdout;
    int status = COMMAND_DONE;

    if (check->baseline_count < 3)
        return complain("--learn", "three runs are needed",
                        "give more with --baseline");
    if (is_file &&
        make_way(check->is_forced, check->output, NULL) != COMMAND_GO_ON)
        return COMMAND_USAGE;
    if (is_file)
        out = fopen(check->output, "wxe");
    if (out == NULL)
        return complain_about_output(check->output);
    write_noise(check, out);
    if (is_file && (ferror(out) != 0 || fclose(out) != 0))
        status = complain(check->output, strerror(errno), "make room");
    return status;
}

/* Return -1 if the output is one of the inputs. */
static int check_output(const struct check *check)
{
    int result = 0;

    for (size_t i = 0; i < check->baseline_count && result == 0; i++)
        result =
            former_output_check(check->output, check->baselines[i].load.name);
    for (size_t i = 0; i < check->budget_count && result == 0; i++)
        result = former_output_check(check->output, check->budget_files[i]);
    return result;
}

static int parse(struct check *check, int argc, char **argv)
{
    int status = options_read(&table, argc, argv, check);

    if (status != COMMAND_GO_ON)
        return status;
    if (check->learns ? optind < argc : optind == argc)
        return complain("check",
                        check->learns ? "--learn needs baselines only"
                                      : "no source is given",
                        "see tally check --help");
    if (check->output != NULL && check_output(check) < 0)
        return complain_about_output(check->output);
    if (check->output != NULL && strcmp(check->output, "-") != 0 &&
        refuse_taken(check->is_forced, check->output) != COMMAND_GO_ON)
        return COMMAND_USAGE;
    return check->budget_count == 0 && !check->learns
               ? read_default_budget(check)
               : COMMAND_GO_ON;
}

int command_check(int argc, char **argv)
{
    struct check check = { 0 };
    int status = parse(&check, argc, argv);

    if (status == COMMAND_GO_ON) {
        status = COMMAND_DONE;
        for (size_t i = 0; i < check.baseline_count && status == COMMAND_DONE;
             i++)
            status = open_source(&check.baselines[i],
                                 check.baselines[i].load.name, &check.of);
        if (status == COMMAND_DONE)
            status = check.learns
                         ? learn(&check)
                         : check_all(&check, argv + optind, argc - optind);
        for (size_t i = 0; i < check.baseline_count; i++)
            close_source(&check.baselines[i]);
    }
    result_list_free(&check.list);
    budget_close(&check.budget);
    free(check.baselines);
    free(check.budget_files);
    return status;
}
