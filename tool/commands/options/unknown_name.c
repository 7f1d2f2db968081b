/* SPDX-License-Identifier: Apache-2.0 */
/* unknown_name.c - see command.h */
#include "tool/commands/options/command.h"

/* Wanted name, and all names. */
struct search {
    struct allocinfo_filter filter; /* by one name; mask 0: by a glob */
    const char *wanted;
    struct text_pool candidates;
    bool is_found; /* also where --leaf or other filters leave the row out */
};

static void add_candidate(struct search *search, uint64_t kind,
                          const char *text)
{
    if (text != NULL &&
        (search->filter.mask == 0 || search->filter.mask == kind))
        text_pool_add(&search->candidates, text);
}

/* Add a site's names as candidates: a function by its short name, a file by
   its path, also where only its last part is wanted. */
static void add(struct search *search, const struct site_name *name)
{
    const struct glob_list glob = { { search->wanted }, 1, 1 };
    bool is_like =
        search->filter.mask == 0
            ? glob_list_matches(&glob, name)
            : name_filter_matches(&search->filter, name, name->module == NULL);

    search->is_found = search->is_found || is_like;
    add_candidate(search, ALLOCINFO_FILTER_FUNCTION, site_name_short(name));
    add_candidate(search, ALLOCINFO_FILTER_MODULE,
                  name->module == NULL ? NULL : base_name(name->module));
    add_candidate(search, ALLOCINFO_FILTER_FILE, name->file);
}

static void look(struct search *search, const struct named_profile *source)
{
    const struct profile *profile = source->profile;

    for (size_t i = 0; i < profile->caller_count; i++) {
        struct site_name name = source->names->sites[i];
        OWNED char *label = site_label(&profile->callers[i], &name);

        name.function = label;
        add(search, &name);
    }
    for (uint32_t i = 0;
         source->frames != NULL && i < profile->stacks.place_count; i++) {
        size_t count = 0;
        const struct frame_name *found =
            frame_names_find(source->frames, i, &count);

        for (size_t call = 0; call < count; call++) {
            const struct site_name name = frame_name_called(&found[call]);

            add(search, &name);
        }
    }
}

static bool is_found(struct search *search, const struct named_profile *sources,
                     size_t count, char note[NEAR_SIZE])
{
    struct text_pool *texts = &search->candidates;

    for (size_t i = 0; i < count; i++)
        look(search, &sources[i]);
    if (!search->is_found) {
        const struct word_list list = { texts->texts, sizeof *texts->texts,
                                        texts->count };

        near_note(note, &list, search->wanted);
        for (size_t i = 0; note[0] == '\0' && i < texts->count; i++) {
            if (strcmp(base_name(texts->texts[i]), search->wanted) == 0)
                snprintf(note, NEAR_SIZE, " (did you mean %s?)",
                         texts->texts[i]);
        }
    }
    text_pool_free(texts);
    return search->is_found;
}

bool glob_is_known(const char *glob, const struct named_profile *sources,
                   size_t count, char note[NEAR_SIZE])
{
    struct search search = { .wanted = glob };

    return is_found(&search, sources, count, note);
}

static bool has_rows(const struct named_profile *sources, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < sources[i].profile->caller_count; k++) {
            if (!sources[i].profile->callers[k].is_left_out)
                return true;
        }
    }
    return false;
}

bool note_unknown_names(const struct source_options *options,
                        const struct named_profile *sources, size_t count)
{
    const struct allocinfo_filter *filter = &options->choice.filter;
    const struct glob_list *hide = &options->choice.fold.hide;
    const struct glob_list *focus = &options->choice.focus;
    bool is_left = has_rows(sources, count);
    const struct {
        const char *option;
        uint64_t bit; /* 0: of globs */
        const char *const *wanted;
        size_t count;
    } kinds[] = {
        /* Without stacks what is hidden has lost its name. */
        { "--hide", 0, hide->globs, sources->frames == NULL ? 0 : hide->given },
        { "--focus", 0, focus->globs, is_left ? focus->given : focus->count },
        { "--function", ALLOCINFO_FILTER_FUNCTION, &filter->function.bytes, 1 },
        { "--file", ALLOCINFO_FILTER_FILE, &filter->file.bytes, 1 },
        { "--module", ALLOCINFO_FILTER_MODULE, &filter->module.bytes, 1 },
    };
    bool was_said = false;
    char note[NEAR_SIZE];

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        bool is_asked = kinds[i].bit == 0 ||
                        (!is_left && (filter->mask & kinds[i].bit) != 0);

        for (size_t k = 0; is_asked && k < kinds[i].count; k++) {
            struct search search = { *filter, .wanted = kinds[i].wanted[k] };

            search.filter.mask = kinds[i].bit;
            if (is_found(&search, sources, count, note))
                continue;
            was_said = true;
            tell_line("%s=%s: matches no call%s", kinds[i].option,
                      search.wanted, note);
        }
    }
    return was_said && !is_left;
}
