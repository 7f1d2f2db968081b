/* SPDX-License-Identifier: Apache-2.0 */
/*
 * filter_options.c - the options that choose rows, the same for each command
 */
#include "tool/commands/options/filter_options.h"

#include <stdlib.h>
#include <string.h>

#include "tool/commands/options/complaint.h"
#include "tool/model/names/site_names.h"
#include "tool/model/names/site_rows.h"
#include "tool/text/number.h"

/* The options, each with the bit and field of the filter that it sets. */
static const struct {
    const char *name;
    enum allocinfo_filter_mask bit;
    size_t field;
    enum { FIELD_TEXT, FIELD_LINE, FIELD_BYTES, FIELD_FLAG } kind;
} fields[] = {
#define FIELD(BIT, name, member, kind)                      \
    {                                                       \
        name, ALLOCINFO_FILTER_##BIT,                       \
            offsetof(struct allocinfo_filter, member), kind \
    }
    FIELD(FILE, "--file", file, FIELD_TEXT),
    FIELD(FUNCTION, "--function", function, FIELD_TEXT),
    FIELD(MODULE, "--module", module, FIELD_TEXT),
    FIELD(LINE, "--line", line, FIELD_LINE),
    FIELD(INACCURATE, "--inaccurate", is_inaccurate, FIELD_FLAG),
    FIELD(MIN_SIZE, "--min-size", min_size, FIELD_BYTES),
    FIELD(MAX_SIZE, "--max-size", max_size, FIELD_BYTES),
#undef FIELD
};

int filter_option_take(const char *name, const char *value, void *field)
{
    struct allocinfo_filter *filter = field;
    size_t i = 0;

    while (strcmp(fields[i].name, name) != 0)
        i++;
    filter->mask |= (uint64_t)fields[i].bit;
    field = (char *)field + fields[i].field;
    if (fields[i].kind == FIELD_FLAG)
        *(bool *)field = true;
    else if (fields[i].kind == FIELD_TEXT)
        *(struct allocinfo_text *)field =
            (struct allocinfo_text){ value, strlen(value) };
    else if (fields[i].kind == FIELD_LINE &&
             (value[0] == '\0' || value[strspn(value, "0123456789")] != '\0'))
        return complain(name, "its argument is not a number",
                        "give digits alone");
    else if (!parse_bytes(value, field))
        return complain(name, "its argument is not a number",
                        "give bytes, such as 4096, 64K, 10M or 1G");
    return COMMAND_GO_ON;
}

int filter_options_check(const struct allocinfo_filter *filter)
{
    if (allocinfo_filter_is_valid(filter))
        return COMMAND_GO_ON;
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

static int choose(const struct allocinfo_filter *filter,
                  struct profile *profile, const struct site_names *names)
{
    struct allocinfo_filter by_name = *filter;
    struct site_rows rows;
    int error = site_rows_open(&rows, profile, names);

    by_name.mask &= ~(uint64_t)ALLOCINFO_FILTER_NUMBERS;
    for (size_t i = 0; error == 0 && i < profile->site_count; i++)
        profile->sites[i].is_left_out = !filter_options_match(
            &by_name, &rows.rows[i], names->sites[i].module);
    site_rows_close(&rows);
    return error;
}

struct site_names *filter_options_name(const struct allocinfo_filter *filter,
                                       const struct site_sum *sum,
                                       const struct symbols_search *search,
                                       enum demangle_arguments arguments,
                                       struct profile *profile)
{
    struct site_names *names = site_names_create(profile, search, arguments);

    if (names == NULL || (choose(filter, profile, names) == 0 &&
                          site_sum(profile, names, sum) == 0))
        return names;
    site_names_destroy(names);
    return NULL;
}

int sum_option_take(const char *name, const char *value, void *field)
{
    static const char *const words[] = { "place", "module", "folder" };
    struct site_sum *sum = field;

    *sum = (struct site_sum){ .by = SITE_SUM_PLACE };
    for (unsigned i = 0; value != NULL && i < 3; i++) {
        if (strcmp(value, words[i]) == 0) {
            sum->by = (enum site_sum_by)(SITE_SUM_PLACE + i);
            return COMMAND_GO_ON;
        }
    }
    if (value == NULL)
        return COMMAND_GO_ON;
    sum->by = SITE_SUM_FOLDER;
    if (strncmp(value, "folder:", 7) == 0 &&
        parse_bytes(value + 7, &sum->depth) && sum->depth > 0)
        return COMMAND_GO_ON;
    return complain_about_value(
        name, value, "place, module, folder or folder:N, N from 1 on");
}
