/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fold_list.c - the shipped list of functions to fold
 *
 * Globs are sorted by their stem, the text before the first wildcard. Stems of
 * globs that match a name begin the name: they are the last stem up to the
 * name, or begin that one. So a search visits few globs.
 */
#include "tool/model/names/names.h"

#include <pthread.h>

struct fold_glob {
    const char *glob;
    size_t stem;    /* bytes */
    size_t shorter; /* number of the glob with the next shorter stem that
                       begins this one, from 1; 0: none */
};

static struct {
    struct fold_glob *globs;
    size_t count;
} list;

static int compare_globs(const void *left, const void *right)
{
    const struct fold_glob *a = left, *b = right;
    size_t length = a->stem < b->stem ? a->stem : b->stem;
    int order = memcmp(a->glob, b->glob, length);

    return order != 0 ? order : (a->stem > b->stem) - (a->stem < b->stem);
}

/* Return the number of the glob, from 1, whose stem begins the text: `from` or
   a shorter one; 0 if there is none. */
static size_t find_stem(size_t from, const char *text)
{
    while (from != 0 && strncmp(list.globs[from - 1].glob, text,
                                list.globs[from - 1].stem) != 0)
        from = list.globs[from - 1].shorter;
    return from;
}

static void load(void)
{
    char *line, *next = memory_text(fold_list_text);

    while ((line = strsep(&next, "\n")) != NULL) {
        if (*line != '\0' && *line != '#')
            ARRAY_ADD(list.globs, list.count,
                      (struct fold_glob){ line, strcspn(line, "*?"), 0 });
    }
    ARRAY_SORT(list.globs, list.count, compare_globs);
    for (size_t i = 1; i < list.count; i++)
        list.globs[i].shorter = find_stem(i, list.globs[i].glob);
}

bool fold_list_has(const char *name)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const struct fold_glob wanted = { name, strlen(name), 0 };
    size_t low = 0, high;

    pthread_once(&once, load);
    high = list.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (compare_globs(&list.globs[middle], &wanted) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    while ((low = find_stem(low, name)) != 0 &&
           !glob_matches(list.globs[low - 1].glob, name))
        low = list.globs[low - 1].shorter;
    return low != 0;
}
