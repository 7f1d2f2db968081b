/* SPDX-License-Identifier: Apache-2.0 */
/* coverage_facet.c - the part of a program that its recording covers */
#include "tool/facets/facet.h"
#include "tool/model/profile/coverage.h"

static void screen_coverage(const struct facet_subject *subject, FILE *out)
{
    OWNED char *unrecorded = coverage_unrecorded(subject->profile);

    if (unrecorded != NULL)
        fprintf(out, "  unrecorded %s\n", unrecorded);
}

/* Write a reason for each part; null: the part is covered. */
static void write_coverage(const struct facet_subject *subject,
                           struct json *json)
{
    static const char *const names[] = {
#define COVERAGE_NAME(part, name) name,
        COVERAGE_LIST(COVERAGE_NAME)
#undef COVERAGE_NAME
    };
    OWNED char *unrecorded = coverage_unrecorded(subject->profile);
    struct coverage coverage;

    coverage_find(&coverage, subject->profile);
    json_begin(json, "coverage", JSON_OBJECT);
    for (unsigned part = 0; part < COVERAGE_PARTS; part++)
        json_string(json, names[part],
                    (coverage.lacks & 1u << part) == 0 ? NULL
                                                       : coverage.why[part]);
    json_string(json, "unrecorded", unrecorded);
    json_end(json);
}

const struct facet coverage_facet = {
    .screen = screen_coverage,
    .write = write_coverage,
};
