/* SPDX-License-Identifier: Apache-2.0 */
/* result_junit.c - each rule as a test of JUnit's XML; rows are output */
#include "tool/render/result.h"

/* Return true for a result that is not a test. */
static bool is_output(const struct result *result)
{
    return result->state >= RESULT_CHANGED;
}

static void attribute(FILE *out, const char *name, const char *text)
{
    fprintf(out, " %s=", name);
    putc('"', out);
    escape_write(out, ESCAPE_XML, text, SIZE_MAX);
    putc('"', out);
}

static void write_test(FILE *out, const struct result_list *list,
                       const struct result *result)
{
    static const char *const elements[RESULT_STATES] = {
        [RESULT_BROKEN] = "failure",
        [RESULT_UNKNOWN] = "error",
        [RESULT_UNJUDGED] = "skipped",
    };
    const char *element = elements[result->state];

    fputs("    <testcase", out);
    attribute(out, "classname",
              result->program != NULL ? result->program : list->command);
    attribute(out, "name", result->rule);
    if (element == NULL) {
        fputs("/>\n", out);
        return;
    }
    fprintf(out, ">\n      <%s", element);
    attribute(out, "message", result->message);
    fputc('>', out);
    result_write_stack(out, result, ESCAPE_XML, "by ", "\n   ");
    fprintf(out, "</%s>\n    </testcase>\n", element);
}

void result_write_junit(FILE *out, const struct result_list *list)
{
    size_t output = 0;

    for (size_t i = 0; i < list->count; i++)
        output += is_output(&list->results[i]);
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
            "  <testsuite name=\"tally %s\" tests=\"%zu\" failures=\"%zu\" "
            "errors=\"%zu\">\n",
            list->command, list->count - output, list->counts[RESULT_BROKEN],
            list->counts[RESULT_UNKNOWN]);
    for (size_t i = 0; i < list->count; i++) {
        if (!is_output(&list->results[i]))
            write_test(out, list, &list->results[i]);
    }
    if (output > 0)
        fputs("    <system-out>", out);
    for (size_t i = 0; i < list->count; i++) {
        const struct result *result = &list->results[i];

        if (!is_output(result))
            continue;
        if (result->state == RESULT_FOUND) {
            escape_write(out, ESCAPE_XML, result->rule, SIZE_MAX);
            fputs(": ", out);
        }
        escape_write(out, ESCAPE_XML, result->message, SIZE_MAX);
        fputc('\n', out);
        result_write_stack(out, result, ESCAPE_XML, "by ", "\n   ");
        fputc('\n', out);
    }
    if (output > 0)
        fputs("</system-out>\n", out);
    fputs("  </testsuite>\n</testsuites>\n", out);
}
