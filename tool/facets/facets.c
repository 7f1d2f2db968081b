/* SPDX-License-Identifier: Apache-2.0 */
/* facets.c - the list of facets, and its walks */
#include "tool/facets/facet.h"

/* in the order of the report */
#define FACET_LIST(FACET) \
    FACET(process)        \
    FACET(heap)           \
    FACET(findings)       \
    FACET(sizes)          \
    FACET(resident)       \
    FACET(coverage)       \
    FACET(events)         \
    FACET(timeline)       \
    FACET(accuracy)

#define FACET_DECLARATION(name) extern const struct facet name##_facet;
FACET_LIST(FACET_DECLARATION)

#define FACET_ROW(name) &name##_facet,
static const struct facet *const facets[] = { FACET_LIST(FACET_ROW) };

enum { FACETS = sizeof facets / sizeof facets[0] };

void facets_screen(const struct facet_subject *subject, FILE *out)
{
    for (size_t i = 0; i < FACETS; i++) {
        if (facets[i]->screen != NULL)
            facets[i]->screen(subject, out);
    }
}

void facets_print(const struct facet_subject *subject)
{
    for (size_t i = 0; i < FACETS; i++) {
        unsigned request = facets[i]->request;

        if (facets[i]->print != NULL &&
            (request & subject->requests) == request)
            facets[i]->print(subject);
    }
}

void facets_write(const struct facet_subject *subject, struct json *json)
{
    for (size_t i = 0; i < FACETS; i++) {
        if (facets[i]->write != NULL)
            facets[i]->write(subject, json);
    }
}

void facets_results(const struct facet_subject *subject,
                    struct result_list *list)
{
    for (size_t i = 0; i < FACETS; i++) {
        if (facets[i]->results != NULL)
            facets[i]->results(subject, list);
    }
}
