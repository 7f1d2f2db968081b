/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record_budget.c - enforce and check budgets
 *
 * tally check judges the ledger in its own process: whatever its result, tally
 * record exits as the program did.
 */
#include "tool/commands/record/record_parts.h"

#include <spawn.h>
#include <sys/wait.h>

#include "tool/commands/options/command.h"

/* Return true for a bound on live bytes of the whole program. */
static bool is_watched(const struct budget_rule *rule)
{
    return !rule->is_growth && !rule->is_percent && rule->pattern == NULL &&
           rule->relation != BUDGET_EQUAL &&
           (strcmp(rule->figure->name, "peak") == 0 ||
            strcmp(rule->figure->name, "live") == 0);
}

void record_budget_begin(struct record_budget *budget, const char *program)
{
    const struct budget_entry *entry;
    size_t at = 0;

    while (budget->is_enforced &&
           (entry = budget_next(&budget->rules, program, NULL, &at)) != NULL) {
        for (size_t i = 0; i < entry->rule_count; i++) {
            const struct budget_rule *rule = &entry->rules[i];

            if (is_watched(rule) &&
                (budget->least == NULL || rule->bound < budget->least->bound))
                budget->least = rule;
        }
    }
}

int record_budget_poll(struct record_budget *budget,
                       const struct image_writer *writer,
                       struct image_table *table, int wait_ms)
{
    double bound = budget->least == NULL ? 0x1p63 : budget->least->bound;
    uint64_t over = bound < 0x1p62 ? (uint64_t)bound + 1 : 0;

    if (over == 0 || budget->is_over)
        return wait_ms;
    budget->is_over =
        snapshots_has_held(table, writer->session, writer->program, over);
    if (budget->is_over)
        kill(writer->program, SIGKILL);
    return wait_ms < SNAPSHOTS_LOOK_MS ? wait_ms : SNAPSHOTS_LOOK_MS;
}

static void check(const char *file, const char *ledger)
{
    char option[PATH_MAX + 16];
    char *arguments[] = {
        "tally", "check", option, "--", (char *)(uintptr_t)ledger, NULL
    };
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    pid_t child;
    int error;

    /* Do not record it. */
    unsetenv("LD_PRELOAD");
    unsetenv("TALLY_SESSION");
    sigemptyset(&none);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, &none);
    snprintf(option, sizeof option, "--budget=%s", file);
    error = posix_spawn(&child, "/proc/self/exe", &actions, &attributes,
                        arguments, environ);
    if (error != 0)
        tell_line("--budget: tally check did not start: %s; run it by hand",
                  strerror(error));
    while (error == 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
}

void record_budget_end(const struct record_budget *budget,
                       const struct image_writer *writer)
{
    if (budget->file == NULL)
        return;
    if (budget->is_over)
        tell_line("the program was killed: it held more than %s (%s:%zu)",
                  budget->least->text, budget->least->file,
                  budget->least->line);
    if (writer->written[0] != '\0')
        check(budget->file, writer->written);
}
