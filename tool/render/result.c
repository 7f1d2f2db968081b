/* SPDX-License-Identifier: Apache-2.0 */
/* result.c - see result.h */
#include "tool/render/result.h"

const char *result_state_name(enum result_state state)
{
    static const char *const names[RESULT_STATES] = {
        [RESULT_KEPT] = "kept",           [RESULT_BROKEN] = "broken",
        [RESULT_UNMATCHED] = "unmatched", [RESULT_UNKNOWN] = "unknown",
        [RESULT_CHANGED] = "changed",     [RESULT_FOUND] = "found",
        [RESULT_HELD] = "held",           [RESULT_UNJUDGED] = "not judged",
    };

    return names[state];
}

static char *copy(const char *text)
{
    return text == NULL ? NULL : memory_text(text);
}

void result_add(struct result_list *list, const struct result *result)
{
    struct result added = *result;

    if (added.program == NULL)
        added.program = copy(list->program);
    if (added.source == NULL)
        added.source = copy(list->source);
    ARRAY_ADD(list->results, list->count, added);
    list->counts[result->state]++;
}

void result_add_call(struct result *result, const struct site_name *name)
{
    const struct site_name own = { .function = copy(name->function),
                                   .file = copy(name->file),
                                   .line = name->line,
                                   .module = copy(name->module) };

    ARRAY_ADD(result->stack, result->stack_count, own);
}

void result_add_frame(struct result *result, const struct frame_name *call)
{
    const struct site_name name = frame_name_called(call);

    result_add_call(result, &name);
}

void result_add_stack(struct result *result, const struct frame_names *names,
                      const struct profile_stack *stack)
{
    struct stack_walk walk;
    const struct frame_name *call;

    stack_walk_begin(&walk, names, stack);
    while (result->stack_count < RESULT_STACK_LIMIT &&
           (call = stack_walk_next(&walk)) != NULL)
        result_add_frame(result, call);
}

void result_add_calls(struct result *result, const struct site_names *names,
                      const struct frame_names *frames,
                      const struct profile_stack *stack, size_t site)
{
    if (frames != NULL && stack != NULL)
        result_add_stack(result, frames, stack);
    else
        result_add_call(result, &names->sites[site]);
}

void result_add_region(struct result *result, const struct region *region)
{
    result_add_call(
        result, &(struct site_name){ .function = region->name != NULL
                                                     ? region->name
                                                     : ADDRESS(region->address),
                                     .module = region_kind_name(region) });
}

void result_write_stack(FILE *out, const struct result *result,
                        enum escape_format format, const char *first,
                        const char *next)
{
    for (size_t i = 0; i < result->stack_count; i++) {
        const struct site_name *name = &result->stack[i];
        OWNED char *line =
            name->file == NULL ? NULL : site_line(name->file, name->line);
        const char *function = name->function == NULL ? "?" : name->function;
        const char *module =
            name->module == NULL ? "no file" : base_name(name->module);

        fputs(i == 0 ? first : next, out);
        escape_write(out, format, function, SIZE_MAX);
        fputs(" (", out);
        escape_write(out, format, line != NULL ? line : module, SIZE_MAX);
        fputc(')', out);
    }
}

static void free_result(struct result *result)
{
    for (size_t i = 0; i < result->stack_count; i++) {
        free((void *)(uintptr_t)result->stack[i].function);
        free((void *)(uintptr_t)result->stack[i].file);
        free((void *)(uintptr_t)result->stack[i].module);
    }
    free(result->stack);
    free(result->rule);
    free(result->program);
    free(result->source);
    free(result->message);
    free(result->rule_file);
}

void result_list_free(struct result_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free_result(&list->results[i]);
    free(list->results);
    *list = (struct result_list){ 0 };
}
