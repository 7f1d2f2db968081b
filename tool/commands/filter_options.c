/* SPDX-License-Identifier: Apache-2.0 */
/*
 * filter_options.c - the options that choose rows, the same for each command
 */
#include "tool/commands/filter_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tool/commands/complaint.h"
#include "tool/model/site_names.h"

/* An option and the bit and field of the filter that it sets. */
static const struct {
    enum filter_option option;
    const char *name;
    enum allocinfo_filter_mask bit;
    size_t field;
    enum { FIELD_TEXT, FIELD_NUMBER, FIELD_FLAG } kind;
} fields[] = {
#define FIELD(OPTION, name, member, kind)                        \
    {                                                            \
        FILTER_OPTION_##OPTION, name, ALLOCINFO_FILTER_##OPTION, \
            offsetof(struct allocinfo_filter, member), kind      \
    }
    FIELD(FILE, "--file", file, FIELD_TEXT),
    FIELD(FUNCTION, "--function", function, FIELD_TEXT),
    FIELD(MODULE, "--module", module, FIELD_TEXT),
    FIELD(LINE, "--line", line, FIELD_NUMBER),
    FIELD(INACCURATE, "--inaccurate", is_inaccurate, FIELD_FLAG),
    FIELD(MIN_SIZE, "--min-size", min_size, FIELD_NUMBER),
    FIELD(MAX_SIZE, "--max-size", max_size, FIELD_NUMBER),
#undef FIELD
};

enum { FIELD_COUNT = sizeof fields / sizeof fields[0] };

static bool parse_number(const char *text, uint64_t *number)
{
    errno = 0;
    *number = strtoull(text, NULL, 10);
    return text[0] != '\0' && text[strspn(text, "0123456789")] == '\0' &&
           errno == 0;
}

bool filter_options_take(struct allocinfo_filter *filter, int option,
                         const char *argument, int *status)
{
    size_t i = 0;
    void *field;

    while (i < FIELD_COUNT && (int)fields[i].option != option)
        i++;
    if (i == FIELD_COUNT)
        return false;
    *status = COMMAND_DONE;
    filter->mask |= (uint64_t)fields[i].bit;
    field = (char *)filter + fields[i].field;
    if (fields[i].kind == FIELD_FLAG)
        *(bool *)field = true;
    else if (fields[i].kind == FIELD_TEXT)
        *(struct allocinfo_text *)field =
            (struct allocinfo_text){ argument, strlen(argument) };
    else if (!parse_number(argument, field))
        *status = complain(fields[i].name, "its argument is not a number",
                           "give digits alone");
    return true;
}

int filter_options_check(const struct allocinfo_filter *filter)
{
    if (allocinfo_filter_is_valid(filter))
        return COMMAND_DONE;
    return complain("--min-size", "it is more than --max-size",
                    "no row can be both; exchange them");
}

static bool is_module(struct allocinfo_text wanted, const char *path)
{
    struct allocinfo_text whole = { path, strlen(path) };
    struct allocinfo_text base = { base_name(path), strlen(base_name(path)) };

    return allocinfo_compare_texts(wanted, whole) == 0 ||
           allocinfo_compare_texts(wanted, base) == 0;
}

bool filter_options_match(const struct allocinfo_filter *filter,
                          const struct allocinfo_row *row,
                          const char *module_path)
{
    struct allocinfo_filter rest = *filter;

    if ((filter->mask & ALLOCINFO_FILTER_MODULE) != 0 && module_path != NULL &&
        is_module(filter->module, module_path))
        rest.mask &= ~(uint64_t)ALLOCINFO_FILTER_MODULE;
    return allocinfo_filter_matches(&rest, row);
}
