/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocinfo.c - tally allocinfo: the accounts in the text of the Linux kernel
 *
 * The executable's call sites stand for the kernel's built-in ones; those of a
 * shared object carry its name in brackets. As in the kernel's file, rows come
 * in the order of modules and addresses, rows of zeros are printed, and rows of
 * one place are to be summed by whoever reads them.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/allocinfo_text.h"
#include "tool/commands/command.h"
#include "tool/commands/complaint.h"
#include "tool/commands/open_profile.h"
#include "tool/commands/site_names.h"
#include "tool/model/source.h"

static const char help[] =
    "usage: tally allocinfo SOURCE\n"
    "Print live bytes and blocks by call site in the text of Linux's\n"
    "/proc/allocinfo, version 1.0. SOURCE is a ledger that tally record "
    "wrote,\n"
    "- for standard input, the process id of a program that is being "
    "recorded,\n"
    "or a kernel's own allocinfo file, which is checked and printed "
    "unchanged.\n"
    "\n"
    "  --help           show this text\n"
    "  --version        show Tally's version\n";

static struct allocinfo_text text_of(const char *string)
{
    return (struct allocinfo_text){ string, strlen(string) };
}

static int print_row(const struct allocinfo_row *row)
{
    size_t length = allocinfo_write_row(NULL, 0, 1, row);
    char *bytes = malloc(length);

    if (bytes == NULL)
        return -1;
    allocinfo_write_row(bytes, length, 1, row);
    fwrite(bytes, 1, length, stdout);
    free(bytes);
    return 0;
}

/* Without a line, FILE:LINE is MODULE:0; without a name, it is an address. */
static int print_site(const struct profile *profile,
                      const struct profile_site *site,
                      const struct site_name *name)
{
    const char *module = name->module == NULL ? "unknown" : name->module;
    char place[SITE_PLACE_SIZE];
    char *function = NULL;
    struct allocinfo_row row = {
        .bytes = site->amounts.live_bytes,
        .calls = (uint64_t)site->amounts.live_blocks,
        .file = text_of(name->file == NULL ? module : name->file),
        .line = name->file == NULL ? 0 : name->line,
    };
    int error;

    if (name->function == NULL &&
        asprintf(&function, "%s+%s", base_name(module),
                 site_place(place, site)) < 0)
        return -1;
    row.function = text_of(function == NULL ? name->function : function);
    if (site->module != PROFILE_NO_MODULE &&
        !profile->modules[site->module].is_executable)
        row.module = text_of(base_name(module));
    error = print_row(&row);
    free(function);
    return error;
}

static int compare_places(const void *left, const void *right)
{
    const struct profile_site *a = *(const struct profile_site *const *)left;
    const struct profile_site *b = *(const struct profile_site *const *)right;

    if (a->module != b->module)
        return a->module < b->module ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

/* Built-in rows come first: those of executables, then those of the rest. */
static int print_sites(const struct profile *profile,
                       const struct site_names *names,
                       const struct profile_site **sorted)
{
    for (int is_executable = 1; is_executable >= 0; is_executable--) {
        for (size_t i = 0; i < profile->site_count; i++) {
            const struct profile_site *site = sorted[i];
            int is_of_executable = site->module != PROFILE_NO_MODULE &&
                                   profile->modules[site->module].is_executable;

            if (site->kind == LEDGER_SITE_HEAP &&
                is_of_executable == is_executable &&
                print_site(profile, site,
                           &names->sites[site - profile->sites]) < 0)
                return -1;
        }
    }
    return 0;
}

static int print_profile(struct profile *profile)
{
    const struct profile_site **sorted =
        calloc(profile->site_count + 1, sizeof *sorted);
    struct site_names *names = NULL;
    int error = -1;

    profile_finish(profile);
    names =
        site_names_create(profile, SYMBOLS_OFFLINE, DEMANGLE_WITHOUT_ARGUMENTS);
    if (sorted != NULL && names != NULL) {
        for (size_t i = 0; i < profile->site_count; i++)
            sorted[i] = &profile->sites[i];
        qsort(sorted, profile->site_count, sizeof *sorted, compare_places);
        fputs(ALLOCINFO_HEADER_V1, stdout);
        error = print_sites(profile, names, sorted);
    }
    site_names_destroy(names);
    free(sorted);
    if (error == 0)
        return COMMAND_DONE;
    return complain("allocinfo", "there is not enough memory",
                    "free some and try again");
}

/* A kernel's own file: every line must be one of its form. */
static int copy_kernel_file(const char *name, const struct source *source)
{
    const char *bytes = (const char *)source->bytes;
    unsigned version;
    struct allocinfo_row row;
    struct source_failure failure = {
        .advice = "read /proc/allocinfo again",
        .has_offset = true,
    };
    int64_t used = allocinfo_read_header(bytes, source->size, &version);
    size_t at = 0;

    while (used > 0) {
        at += (size_t)used;
        if (at == source->size) {
            fwrite(bytes, 1, source->size, stdout);
            return COMMAND_DONE;
        }
        used = allocinfo_read_row(bytes + at, source->size - at, version, &row);
    }
    failure.why = allocinfo_error_why((int)used);
    failure.offset = at;
    return complain_about_source(name, &failure);
}

static int print_ledger(const char *name, const struct source *source)
{
    struct source_failure failure;
    struct profile *profile = profile_create();
    int status;

    if (profile == NULL)
        return complain("allocinfo", "there is not enough memory",
                        "free some and try again");
    if (source_load(source, profile, &failure) < 0)
        status = complain_about_source(name, &failure);
    else
        status = print_profile(profile);
    profile_destroy(profile);
    return status;
}

static int run(const char *name)
{
    struct source source;
    int status = open_source(name, &source);

    if (status != COMMAND_DONE)
        return status;
    status = source.kind == SOURCE_ALLOCINFO ? copy_kernel_file(name, &source)
                                             : print_ledger(name, &source);
    source_close(&source);
    return status;
}

static int print_help(void)
{
    fputs(help, stdout);
    return COMMAND_DONE;
}

int command_allocinfo(int argc, char **argv)
{
    static const struct option options[] = {
        { "help", no_argument, NULL, 'h' },
        { "version", no_argument, NULL, 'V' },
        { NULL, 0, NULL, 0 },
    };
    int option;

    opterr = 0;
    optind = 0;
    option = getopt_long(argc, argv, ":", options, NULL);
    if (option == 'h')
        return print_help();
    if (option == 'V')
        return command_version();
    if (option != -1)
        return command_bad_option("allocinfo", option, argv);
    if (optind + 1 != argc)
        return complain("allocinfo",
                        optind == argc ? "no source is named"
                                       : "more than one source is named",
                        "see tally allocinfo --help");
    return run(argv[optind]);
}
