/* SPDX-License-Identifier: Apache-2.0 */
/* fold.c - see names.h */
#include "tool/model/names/names.h"

#include <stdlib.h>
#include <string.h>

#include "tool/tables/tables.h"
#include "tool/text/text.h"

/*
 * Return "a::b<int>::c" of "void a::b<int>::c(int) [clone .cold]"; the caller
 * frees it. A conversion, "a::operator int()", keeps its type.
 */
char *fold_short_name(const char *function)
{
    const char *begin = function, *operator, * at;
    unsigned depth = 0;

    if (function == NULL || strpbrk(function, " (<") == NULL)
        return NULL;
    operator= strstr(function, "operator");
    for (at = function; *at != '\0' && at != operator; at++) {
        if (*at == '<' || (*at == '(' && strncmp(at, "(anonymous", 10) == 0))
            depth++;
        else if (depth > 0 && (*at == '>' || *at == ')'))
            depth--;
        else if (*at == '(' && depth == 0)
            break;
        else if (*at == ' ' && depth == 0)
            begin = at + 1;
    }
    if (at == operator)
        at += strcspn(at, "(");
    return memory_or_exit(strndup(begin, (size_t)(at - begin)));
}

static bool is_path_like(const char *glob, const char *module)
{
    return glob_matches(glob, module) || glob_matches(glob, base_name(module));
}

/* `short_name` is the function, or its qualified name. */
static bool list_matches(const struct glob_list *list,
                         const struct site_name *name, const char *short_name)
{
    char *line = name->file == NULL || list->count == 0
                     ? NULL
                     : site_line(name->file, name->line);
    bool is_match = false;

    for (size_t i = 0; i < list->count && !is_match; i++) {
        const char *glob = list->globs[i];

        is_match =
            (name->function != NULL && (glob_matches(glob, short_name) ||
                                        glob_matches(glob, name->function))) ||
            (name->file != NULL &&
             (is_path_like(glob, name->file) || is_path_like(glob, line))) ||
            (name->module != NULL && is_path_like(glob, name->module));
    }
    free(line);
    return is_match;
}

bool glob_list_matches(const struct glob_list *list,
                       const struct site_name *name)
{
    char *made = fold_short_name(name->function);
    bool is_one =
        list_matches(list, name, made == NULL ? name->function : made);

    free(made);
    return is_one;
}

static struct text_view view_of(const char *text)
{
    return (struct text_view){ text, text == NULL ? 0 : strlen(text) };
}

bool name_filter_matches(const struct allocinfo_filter *filter,
                         const struct site_name *name, bool is_executable)
{
    struct allocinfo_filter rest = *filter;
    struct allocinfo_row row = {
        .file = view_of(site_file(name)),
        .line = name->file == NULL ? 0 : name->line,
        .function = view_of(name->function),
    };
    char *short_name;
    bool is_match;

    if (name->module != NULL) {
        const char *base = base_name(name->module);

        if (!is_executable)
            row.module = view_of(base);
        if (allocinfo_compare_texts(filter->module, view_of(base)) == 0 ||
            allocinfo_compare_texts(filter->module, view_of(name->module)) == 0)
            rest.mask &= ~(uint64_t)ALLOCINFO_FILTER_MODULE;
    }
    is_match = allocinfo_filter_matches_names(&rest, &row);
    short_name = is_match ? NULL : fold_short_name(name->function);
    if (short_name != NULL) {
        row.function = view_of(short_name);
        is_match = allocinfo_filter_matches_names(&rest, &row);
    }
    free(short_name);
    return is_match;
}

const struct fold_rules fold_shipped, fold_by_list = { .is_by_list = true };

bool fold_matches(const struct fold_rules *rules, const struct site_name *name)
{
    char *made = rules->is_leaf ? NULL : fold_short_name(name->function);
    const char *short_name = made == NULL ? name->function : made;
    bool is_folded;

    if (rules->is_leaf)
        return false;
    is_folded = (short_name != NULL && fold_list_has(short_name)) ||
                list_matches(&rules->hide, name, short_name);
    free(made);
    return is_folded;
}
