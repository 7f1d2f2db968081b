/* SPDX-License-Identifier: Apache-2.0 */
/* unknown_name.c - see unknown_name.h */
#include "tool/commands/options/unknown_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/commands/options/complaint.h"
#include "tool/model/names/fold.h"
#include "tool/model/names/site_rows.h"
#include "tool/tables/memory.h"
#include "tool/tables/text_pool.h"
#include "tool/text/near.h"

/* What is looked for, and what there is. */
struct search {
    struct allocinfo_filter filter; /* of one name */
    const char *wanted;
    struct text_pool candidates;
    bool is_found; /* but as a caller, with --leaf, or not with the others */
};

/* A function of C++ without its arguments; a file by its path, which is all
   that is near where its last part alone is asked for. */
static void add(struct search *search, const struct site_name *name)
{
    uint64_t kind = search->filter.mask;
    char *short_name = fold_short_name(name->function);
    const char *text = short_name != NULL ? short_name : name->function;

    if (kind == ALLOCINFO_FILTER_MODULE)
        text = name->module == NULL ? NULL : base_name(name->module);
    else if (kind == ALLOCINFO_FILTER_FILE)
        text = name->file;
    search->is_found =
        search->is_found ||
        site_rows_name_matches(&search->filter, name, name->module == NULL);
    if (text != NULL)
        text_pool_add(&search->candidates, text);
    free(short_name);
}

static void look(struct search *search, const struct profile *profile,
                 const struct site_names *names,
                 const struct frame_names *frames)
{
    for (size_t i = 0; i < profile->site_count; i++)
        add(search, &names->sites[i]);
    for (uint32_t i = 0; frames != NULL && i < profile->stacks.place_count;
         i++) {
        size_t count = 0;
        const struct frame_name *found = frame_names_find(frames, i, &count);

        for (size_t call = 0; call < count; call++)
            add(search, &found[call].name);
    }
}

static void tell(const struct search *search, const char *option)
{
    const struct word_list list = { search->candidates.texts,
                                    sizeof *search->candidates.texts,
                                    search->candidates.count };
    char note[NEAR_SIZE];

    near_note(note, &list, search->wanted);
    for (size_t i = 0; note[0] == '\0' && i < list.count; i++) {
        if (strcmp(base_name(words_at(&list, i)), search->wanted) == 0)
            snprintf(note, sizeof note, " (did you mean %s?)",
                     words_at(&list, i));
    }
    tell_line("%s=%s: no call that is looked for has this name%s", option,
              search->wanted, note);
}

void note_unknown_names(const struct allocinfo_filter *filter,
                        const struct profile *profile,
                        const struct site_names *names,
                        const struct frame_names *frames)
{
    const struct {
        const char *option;
        uint64_t bit;
        struct text_view wanted;
    } kinds[] = {
        { "--function", ALLOCINFO_FILTER_FUNCTION, filter->function },
        { "--file", ALLOCINFO_FILTER_FILE, filter->file },
        { "--module", ALLOCINFO_FILTER_MODULE, filter->module },
    };

    for (size_t i = 0; i < profile->site_count; i++) {
        if (!profile->sites[i].is_left_out)
            return;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct search search = { .filter = *filter };
        char *wanted;

        if ((filter->mask & kinds[i].bit) == 0)
            continue;
        wanted =
            memory_got(strndup(kinds[i].wanted.bytes, kinds[i].wanted.length));
        search.filter.mask = kinds[i].bit;
        search.wanted = wanted;
        look(&search, profile, names, frames);
        if (!search.is_found)
            tell(&search, kinds[i].option);
        text_pool_free(&search.candidates);
        free(wanted);
    }
}
