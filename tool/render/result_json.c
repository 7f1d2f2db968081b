/* SPDX-License-Identifier: Apache-2.0 */
/* result_json.c - results for scripts */
#include "tool/render/render.h"
#include "tool/render/result.h"

void result_write_name(struct json *json, const struct site_name *name)
{
    json_string(json, "function", name->function);
    json_string(json, "file", name->file);
    json_number_or_null(json, "line", name->file != NULL, name->line);
    json_string(json, "module", name->module);
}

static void write_result(struct json *json, const struct result *result)
{
    json_begin(json, NULL, JSON_OBJECT);
    json_string(json, "state", result_state_name(result->state));
    json_string(json, "rule", result->rule);
    json_string(json, "rule_file", result->rule_file);
    json_number_or_null(json, "rule_line", result->rule_file != NULL,
                        result->rule_line);
    json_string(json, "program", result->program);
    json_string(json, "source", result->source);
    json_string(json, "message", result->message);
    json_string(json, "unit", result->is_bytes ? "bytes" : "blocks");
    json_fraction(json, "value", result->value);
    json_fraction(json, "limit", result->limit);
    json_fraction(json, "over", result->over);
    json_begin(json, "stack", JSON_ARRAY);
    for (size_t i = 0; i < result->stack_count; i++) {
        json_begin(json, NULL, JSON_LINE_OBJECT);
        result_write_name(json, &result->stack[i]);
        json_end(json);
    }
    json_end(json);
    json_end(json);
}

void result_write_json(FILE *out, const struct result_list *list)
{
    struct json json = { .out = out };

    json_begin(&json, NULL, JSON_OBJECT);
    json_version(&json);
    json_unsigned(&json, "broken", list->counts[RESULT_BROKEN]);
    json_unsigned(&json, "unknown", list->counts[RESULT_UNKNOWN]);
    json_unsigned(&json, "not_judged", list->counts[RESULT_UNJUDGED]);
    json_begin(&json, "results", JSON_ARRAY);
    for (size_t i = 0; i < list->count; i++)
        write_result(&json, &list->results[i]);
    json_end(&json);
    json_end(&json);
}
