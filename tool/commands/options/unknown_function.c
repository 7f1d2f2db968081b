/* SPDX-License-Identifier: Apache-2.0 */
/* unknown_function.c - see unknown_function.h */
#include "tool/commands/options/unknown_function.h"

#include <stdlib.h>
#include <string.h>

#include "tool/commands/options/complaint.h"
#include "tool/model/names/fold.h"
#include "tool/tables/memory.h"
#include "tool/tables/text_pool.h"
#include "tool/text/near.h"

/* A function of C++ without its arguments. */
static void add(struct text_pool *candidates, const char *name)
{
    char *short_name = fold_short_name(name);

    if (name != NULL)
        text_pool_add(candidates, short_name == NULL ? name : short_name);
    free(short_name);
}

static void collect(struct text_pool *candidates, const struct profile *profile,
                    const struct site_names *names,
                    const struct frame_names *frames)
{
    for (size_t i = 0; i < profile->site_count; i++)
        add(candidates, names->sites[i].function);
    for (uint32_t i = 0; frames != NULL && i < profile->stacks.place_count;
         i++) {
        size_t count = 0;
        const struct frame_name *found = frame_names_find(frames, i, &count);

        for (size_t call = 0; call < count; call++)
            add(candidates, found[call].name.function);
    }
}

void note_unknown_function(const struct allocinfo_filter *filter,
                           const struct profile *profile,
                           const struct site_names *names,
                           const struct frame_names *frames)
{
    struct text_pool candidates = { 0 };
    struct word_list list = { .stride = sizeof *candidates.texts };
    char note[NEAR_SIZE], *wanted;

    if ((filter->mask & ALLOCINFO_FILTER_FUNCTION) == 0)
        return;
    for (size_t i = 0; i < profile->site_count; i++) {
        if (!profile->sites[i].is_left_out)
            return;
    }
    wanted =
        memory_got(strndup(filter->function.bytes, filter->function.length));
    collect(&candidates, profile, names, frames);
    list.first = candidates.texts;
    list.count = candidates.count;
    if (words_find(&list, wanted) < 0) /* but as a caller, with --leaf */
        tell_line("--function=%s: no call that is looked for has this name%s",
                  wanted, near_note(note, &list, wanted));
    text_pool_free(&candidates);
    free(wanted);
}
