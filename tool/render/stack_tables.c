/* SPDX-License-Identifier: Apache-2.0 */
/* stack_tables.c - see render.h */
#include "tool/render/render.h"

/* Texts by number. */
struct table_frame {
    uint32_t function, file, module;
    uint32_t has_address;
    uint64_t line, address;
};

struct table_stack {
    uint32_t frame, callers;
};

uint32_t stack_tables_add(struct stack_tables *tables, uint32_t callers,
                          const struct site_name *name, const uint64_t *address)
{
    const struct table_frame frame = {
        .function = text_pool_add(&tables->strings, name->function),
        .file = text_pool_add(&tables->strings, name->file),
        .module = text_pool_add(&tables->strings, name->module),
        .line = name->line,
        .has_address = address != NULL,
        .address = address == NULL ? 0 : *address,
    };
    const struct table_stack stack = {
        INDEX_ADD(&tables->frame_table, sizeof frame, tables->frames,
                  tables->frame_count, &frame),
        callers,
    };

    return INDEX_ADD(&tables->stack_table, sizeof stack, tables->stacks,
                     tables->stack_count, &stack);
}

static void write_number(struct json *json, const char *key, uint32_t number)
{
    json_number_or_null(json, key, number != STACK_TABLES_NONE, number);
}

static void write_frame(struct json *json, const struct table_frame *frame)
{
    json_begin(json, NULL, JSON_LINE_OBJECT);
    write_number(json, "function", frame->function);
    write_number(json, "file", frame->file);
    json_number_or_null(json, "line", frame->file != STACK_TABLES_NONE,
                        frame->line);
    write_number(json, "module", frame->module);
    json_string(json, "address",
                frame->has_address ? ADDRESS(frame->address) : NULL);
    json_end(json);
}

void stack_tables_write(const struct stack_tables *tables, struct json *json)
{
    json_begin(json, "stack_table", JSON_OBJECT);
    json_begin(json, "frame", JSON_LINE_ARRAY);
    for (size_t i = 0; i < tables->stack_count; i++)
        json_unsigned(json, NULL, tables->stacks[i].frame);
    json_end(json);
    json_begin(json, "callers", JSON_LINE_ARRAY);
    for (size_t i = 0; i < tables->stack_count; i++)
        write_number(json, NULL, tables->stacks[i].callers);
    json_end(json);
    json_end(json);
    json_begin(json, "frame_table", JSON_ARRAY);
    for (size_t i = 0; i < tables->frame_count; i++)
        write_frame(json, &tables->frames[i]);
    json_end(json);
    json_strings(json, "strings", JSON_ARRAY, tables->strings.texts,
                 tables->strings.count);
}

void stack_tables_free(struct stack_tables *tables)
{
    text_pool_free(&tables->strings);
    free(tables->frames);
    index_table_free(&tables->frame_table);
    free(tables->stacks);
    index_table_free(&tables->stack_table);
}
