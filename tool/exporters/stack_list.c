/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack_list.c - the sites of a profile as stacks with a weight each
 */
#include "tool/exporters/stack_list.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tool/model/site_rows.h"

static int64_t weight_of(const struct profile_site *site,
                         enum export_value value)
{
    const struct profile_amounts *amounts = &site->amounts;
    const int64_t weights[] = {
        [EXPORT_LIVE_BYTES] = amounts->live_bytes,
        [EXPORT_LIVE_BLOCKS] = amounts->live_blocks,
        [EXPORT_TOTAL_BYTES] = (int64_t)amounts->alloc_bytes,
        [EXPORT_TOTAL_BLOCKS] = (int64_t)amounts->alloc_blocks,
    };

    return weights[value];
}

/* Add a frame that was made by asprintf(); -1 if that failed. */
static int push(struct stack *stack, int length, char *frame)
{
    if (length < 0)
        return -1;
    stack->frames[stack->depth++] = frame;
    return 0;
}

static int push_module(struct stack *stack, const struct profile_site *site,
                       const struct site_name *name,
                       const struct allocinfo_row *row)
{
    const char *module = name->module == NULL ? "unknown" : name->module;
    char *frame;
    int length;

    if (row->module.length > 0)
        length = asprintf(&frame, "[%.*s]", (int)row->module.length,
                          row->module.bytes);
    else
        length = asprintf(&frame, "%s",
                          site->label != NULL ? "built-in" : base_name(module));
    return push(stack, length, frame);
}

static int push_function(struct stack *stack, const struct site_name *name,
                         const struct allocinfo_row *row)
{
    char *frame;
    int length;

    if (name->file != NULL && name->line != 0)
        length = asprintf(&frame, "%.*s:%" PRIu64, (int)row->function.length,
                          row->function.bytes, name->line);
    else
        length = asprintf(&frame, "%.*s", (int)row->function.length,
                          row->function.bytes);
    return push(stack, length, frame);
}

static int make_stack(struct stack *stack, const struct profile_site *site,
                      const struct site_name *name,
                      const struct allocinfo_row *row)
{
    char *frame;

    *stack = (struct stack){ 0 };
    if (push_module(stack, site, name, row) < 0)
        return -1;
    if (name->file != NULL) {
        int length = asprintf(&frame, "%s", name->file);

        if (push(stack, length, frame) < 0)
            return -1;
    }
    return push_function(stack, name, row);
}

static void free_stack(struct stack *stack)
{
    for (unsigned i = 0; i < stack->depth; i++)
        free(stack->frames[i]);
    stack->depth = 0;
}

static int compare_stacks(const void *left, const void *right)
{
    const struct stack *a = left, *b = right;
    int order = 0;

    for (unsigned i = 0; order == 0 && i < a->depth && i < b->depth; i++)
        order = strcmp(a->frames[i], b->frames[i]);
    return order != 0 ? order : (a->depth > b->depth) - (a->depth < b->depth);
}

/* Sum equal stacks, which lie side by side, and drop what weighs nothing. */
static void merge(struct stack_list *list)
{
    size_t kept = 0;

    for (size_t i = 0, next; i < list->count; i = next) {
        struct stack stack = list->stacks[i];

        for (next = i + 1; next < list->count; next++) {
            struct stack *other = &list->stacks[next];

            if (compare_stacks(&stack, other) != 0)
                break;
            stack.weight =
                (int64_t)((uint64_t)stack.weight + (uint64_t)other->weight);
            free_stack(other);
        }
        list->negative += stack.weight < 0;
        if (stack.weight > 0)
            list->stacks[kept++] = stack;
        else
            free_stack(&stack);
    }
    list->count = kept;
}

static int add_sites(struct stack_list *list, const struct export_job *job,
                     const struct site_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        const struct profile_site *site = &job->profile->sites[i];
        struct stack *stack = &list->stacks[list->count];

        if (site->kind != LEDGER_SITE_HEAP)
            continue;
        list->count++;
        if (make_stack(stack, site, &job->names->sites[i], &rows->rows[i]) < 0)
            return -1;
        stack->weight = weight_of(site, job->value);
    }
    return 0;
}

int stack_list_open(struct stack_list *list, const struct export_job *job)
{
    struct site_rows rows;
    int error = site_rows_open(&rows, job->profile, job->names);

    *list = (struct stack_list){
        .stacks = calloc(job->profile->site_count + 1, sizeof *list->stacks),
    };
    if (list->stacks == NULL)
        error = -1;
    if (error == 0)
        error = add_sites(list, job, &rows);
    site_rows_close(&rows);
    if (error < 0)
        return -1;
    qsort(list->stacks, list->count, sizeof *list->stacks, compare_stacks);
    merge(list);
    return 0;
}

void stack_list_close(struct stack_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free_stack(&list->stacks[i]);
    free(list->stacks);
    *list = (struct stack_list){ 0 };
}
