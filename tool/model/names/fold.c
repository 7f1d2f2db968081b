/* SPDX-License-Identifier: Apache-2.0 */
/* fold.c - see names.h */
#include "tool/model/names/names.h"

/* Sources and modules of the standard libraries and runtimes of C, C++, Go and
   Rust. */
static const char *const standard_places[] = {
    "*/include/c++/*",      "*/libstdc++-v3/*",
    "/rustc/*/library/*",   "*/rustlib/src/rust/library/*",
    "/rust/deps/*",         "*/go*/src/runtime/*",
    "*/go*/src/internal/*", "/_/runtime/cgo/*",
    "libstdc++.so*",        "libc++.so*",
    "libc++abi.so*",        "libgo.so*",
    "libstd-*.so",          "libc.so*",
};

static bool is_path_like(const char *glob, const char *module)
{
    return glob_matches(glob, module) || glob_matches(glob, base_name(module));
}

bool glob_list_matches(const struct glob_list *list,
                       const struct site_name *name)
{
    OWNED char *line = name->file == NULL || list->count == 0
                           ? NULL
                           : site_line(name->file, name->line);
    bool is_match = false;

    for (size_t i = 0; i < list->count && !is_match; i++) {
        const char *glob = list->globs[i];

        is_match = (name->function != NULL &&
                    (glob_matches(glob, site_name_short(name)) ||
                     glob_matches(glob, name->function))) ||
                   (name->file != NULL && (is_path_like(glob, name->file) ||
                                           is_path_like(glob, line))) ||
                   (name->module != NULL && is_path_like(glob, name->module));
    }
    return is_match;
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
    row.function = view_of(site_name_short(name));
    return is_match || allocinfo_filter_matches_names(&rest, &row);
}

const struct fold_rules fold_shipped, fold_by_list = { .is_by_list = true };

/* Return true for functions of libc that call main(), threads and constructors
   of modules. */
static bool is_start(const struct site_name *name)
{
    static const char *const starts[] = { "__libc_start_*", "start_thread",
                                          "clone*",         "__clone*",
                                          "call_init",      "_dl_init",
                                          "_dl_start_user" };
    const char *module = name->module == NULL ? "" : base_name(name->module);
    bool is_found = false;

    if (name->function == NULL || (!glob_matches("libc.so*", module) &&
                                   !glob_matches("libpthread.so*", module) &&
                                   !glob_matches("ld-linux*", module)))
        return false;
    for (size_t i = 0; i < sizeof starts / sizeof *starts && !is_found; i++)
        is_found = glob_matches(starts[i], name->function);
    return is_found;
}

static bool is_standard_place(const struct site_name *name)
{
    bool is_standard = false;

    for (size_t i = 0;
         i < sizeof standard_places / sizeof *standard_places && !is_standard;
         i++)
        is_standard =
            (name->file != NULL &&
             glob_matches(standard_places[i], name->file)) ||
            (name->module != NULL &&
             glob_matches(standard_places[i], base_name(name->module)));
    return is_standard;
}

enum fold fold_of(const struct fold_rules *rules, const struct site_name *name)
{
    const char *function = site_name_short(name);
    bool is_folded = name->is_standard || is_standard_place(name);

    if (rules->is_leaf)
        return FOLD_NOT;
    if (is_start(name))
        return FOLD_START;
    is_folded = is_folded ||
                (function != NULL &&
                 (fold_list_has(function) || fold_list_has(name->function))) ||
                glob_list_matches(&rules->hide, name);
    return is_folded ? FOLD_RULE : FOLD_NOT;
}
