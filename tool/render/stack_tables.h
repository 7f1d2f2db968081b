/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack_tables.h - stacks for scripts, each text, frame and caller once
 *
 *     struct stack_tables tables = { 0 };
 *     uint32_t stack = STACK_TABLES_NONE; // of no call
 *
 *     stack = stack_tables_add(&tables, stack, &of_main, &its_address);
 *     stack = stack_tables_add(&tables, stack, &of_serve, NULL);
 *     json_unsigned(&json, "stack", stack);
 *     stack_tables_write(&tables, &json);
 *     stack_tables_free(&tables);
 */
#pragma once

#include "tool/model/names/names.h"
#include "tool/render/json.h"
#include "tool/tables/tables.h"

#define STACK_TABLES_NONE UINT32_MAX

struct stack_tables { /* all of it private */
    struct text_pool strings;
    struct table_frame *frames;
    size_t frame_count;
    struct index_table frame_table;
    struct table_stack *stacks;
    size_t stack_count;
    struct index_table stack_table;
};

/* The number of the stack of a call and its callers, new or known. `address`,
   as in the module's file, may be NULL: unknown. */
uint32_t stack_tables_add(struct stack_tables *tables, uint32_t callers,
                          const struct site_name *name,
                          const uint64_t *address);

/* The members "stack_table", "frame_table" and "strings". */
void stack_tables_write(const struct stack_tables *tables, struct json *json);
void stack_tables_free(struct stack_tables *tables);
