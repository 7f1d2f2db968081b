/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open_trace_sum.c - from a source that is a trace to what it adds up to
 */
#include "tool/commands/trace/open_trace_sum.h"

#include "tool/commands/options/complaint.h"
#include "tool/commands/trace/trace_losses.h"
#include "tool/model/sources/load_calls.h"

static int load(struct trace *trace, const char *name, const char *elf,
                struct trace_sum *sum)
{
    struct source_failure failure;
    struct trace_names *names = trace_names_open(trace, elf, &failure);
    int status = COMMAND_DONE;

    if (names == NULL)
        return complain_about_source(elf != NULL ? elf : name, &failure);
    if (trace_sum_load(sum, trace, names, &failure) < 0)
        status = complain_about_source(name, &failure);
    trace_names_close(names);
    return status != COMMAND_DONE ? status : trace_check(name, &sum->counts);
}

int open_trace_sum(struct source *source, const char *name,
                   const struct elf_option *elf, struct trace_sum *sum)
{
    const char *program = elf_option_program(elf);
    struct source_failure failure;
    struct trace trace;
    int status;

    if (trace_open_source(&trace, source, &failure) < 0)
        return complain_about_source(name, &failure);
    status = load(&trace, name, program, sum);
    trace_close(&trace);
    if (status == COMMAND_DONE && program == NULL && elf->path != NULL &&
        !trace_sum_has_calls(sum))
        return complain(elf->path, "it is a ledger, which names no regions",
                        "name the program's file with --elf");
    if (status == COMMAND_DONE && sum->regions.left_out != 0)
        complain(name, "it has more than 16,384 regions",
                 "events of the others are left out");
    return status;
}

int open_calls(const struct trace_sum *sum, const char *name,
               const struct elf_option *elf, struct profile *profile)
{
    struct caller_modules modules = { 0 };
    int status = elf_option_add(elf, &sum->program, &modules);

    if (status == COMMAND_DONE && load_calls(sum, &modules, profile) < 0)
        status = complain(name, "there is not enough memory to load it",
                          "free some and try again");
    caller_modules_close(&modules);
    return status;
}
