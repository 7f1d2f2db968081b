/* SPDX-License-Identifier: Apache-2.0 */
/*
 * budget.h - limits of programs, in a file that is reviewed like code
 *
 *     budgets:
 *       - program: server*
 *         rules:
 *           - peak <= 64 MiB
 *           - live "cache.c:*" <= 64 KiB
 *           - growth peak <= 5 %
 *         noise:
 *           - peak 1048576 +- 3500 of 5
 *
 * `rules`, `noise` and `program` may also stand at the top; without a program
 * they apply to all. The file is YAML and not trusted.
 *
 *     struct budget budget = { 0 };
 *     struct yaml_failure failure;
 *
 *     if (budget_read(&budget, name, fopen(name, "re"), &failure) < 0)
 *         complain(failure.where, failure.why, failure.advice);
 *     budget_close(&budget);
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "tool/model/budget/budget_rule.h"
#include "tool/model/yaml_file.h"

struct budget_entry {
    char *program; /* glob of a base name; NULL: all programs */
    struct budget_rule *rules;
    size_t rule_count;
    struct budget_noise *noise;
    size_t noise_count;
};

/* Begins as { 0 }. */
struct budget {
    struct arena *arena; /* of all of it */
    struct budget_entry *entries;
    size_t count;
};

/* Read entries from `in`, the file `name`, which must stay. Return 0 or -1;
   call budget_close() in either case. */
int budget_read(struct budget *budget, const char *name, FILE *in,
                struct yaml_failure *failure);
void budget_close(struct budget *budget);

/* Return the next entry, from `*entry` on, for a program by its path or its
   first argument `called`, which may be NULL; NULL after the last. */
const struct budget_entry *budget_next(const struct budget *budget,
                                       const char *program, const char *called,
                                       size_t *entry);
