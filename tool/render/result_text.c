/* SPDX-License-Identifier: Apache-2.0 */
/* result_text.c - a line for each rule that is not just kept, and who */
#include "tool/render/result.h"

void result_write_text(FILE *out, const struct result_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct result *result = &list->results[i];

        if (result->state == RESULT_KEPT)
            continue;
        fprintf(out, "%s: ", result_state_name(result->state));
        escape_write(out, ESCAPE_TERMINAL, result->source, SIZE_MAX);
        fputs(": ", out);
        escape_write(out, ESCAPE_TERMINAL, result->rule, SIZE_MAX);
        fputs(": ", out);
        escape_write(out, ESCAPE_TERMINAL, result->message, SIZE_MAX);
        result_write_stack(out, result, ESCAPE_TERMINAL, "\n    by ",
                           "\n       ");
        fputc('\n', out);
    }
    fprintf(out, "%zu rule%s kept, %zu broken",
            list->counts[RESULT_KEPT] + list->counts[RESULT_UNMATCHED],
            number_plural(list->counts[RESULT_KEPT] +
                          list->counts[RESULT_UNMATCHED]),
            list->counts[RESULT_BROKEN]);
    if (list->counts[RESULT_UNMATCHED] > 0)
        fprintf(out, ", %zu matched nothing", list->counts[RESULT_UNMATCHED]);
    if (list->counts[RESULT_UNKNOWN] > 0)
        fprintf(out, ", %zu could not be judged", list->counts[RESULT_UNKNOWN]);
    if (list->counts[RESULT_UNJUDGED] > 0)
        fprintf(out, ", %zu not judged", list->counts[RESULT_UNJUDGED]);
    fputc('\n', out);
}
