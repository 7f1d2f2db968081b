/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folded.c - one line for each stack, as makers of flame graphs read them
 *
 *     MODULE;FILE;FUNCTION:LINE WEIGHT
 *
 * A semicolon in a name becomes a comma and a control character '?': both have
 * a meaning here.
 */
#include <inttypes.h>
#include <stdio.h>

#include "tool/exporters/exporter.h"
#include "tool/exporters/stack_list.h"

static void write_frame(FILE *out, const char *name)
{
    for (; *name != '\0'; name++) {
        unsigned char byte = (unsigned char)*name;

        if (byte == ';')
            fputc(',', out);
        else
            fputc(byte < ' ' || byte == 0x7f ? '?' : byte, out);
    }
}

static int write_folded(const struct export_job *job, FILE *out,
                        struct export_result *result)
{
    struct stack_list list;
    int error = stack_list_open(&list, job);

    for (size_t i = 0; error == 0 && i < list.count; i++) {
        for (unsigned j = 0; j < list.stacks[i].depth; j++) {
            if (j > 0)
                fputc(';', out);
            write_frame(out, list.stacks[i].frames[j]);
        }
        fprintf(out, " %" PRId64 "\n", list.stacks[i].weight);
    }
    result->negative = list.negative;
    stack_list_close(&list);
    return error;
}

const struct exporter exporter_folded = {
    .name = "folded",
    .summary = "a line for each stack, for makers of flame graphs",
    .write = write_folded,
};
