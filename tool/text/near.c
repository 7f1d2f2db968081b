/* SPDX-License-Identifier: Apache-2.0 */
/* near.c - see text.h */
#include "tool/text/text.h"

#include <string.h>
#include <strings.h>

enum { LENGTH_LIMIT = 80, SHOWN = 3, FAR = LENGTH_LIMIT };

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static bool is_alike(char a, char b)
{
    return strncasecmp(&a, &b, 1) == 0;
}

/*
 * Return the number of letters that differ. rows[i % 3][k] is the distance
 * between the first i letters of `a` and the first k of `b`.
 */
static unsigned distance(const char *a, size_t a_length, const char *b,
                         size_t b_length)
{
    unsigned rows[3][LENGTH_LIMIT + 1];

    for (unsigned k = 0; k <= b_length; k++)
        rows[0][k] = k;
    for (unsigned i = 1; i <= a_length; i++) {
        unsigned *now = rows[i % 3], *last = rows[(i + 2) % 3];

        now[0] = i;
        for (unsigned k = 1; k <= b_length; k++) {
            now[k] = least(last[k - 1] + !is_alike(a[i - 1], b[k - 1]),
                           least(last[k], now[k - 1]) + 1);
            if (i > 1 && k > 1 && is_alike(a[i - 1], b[k - 2]) &&
                is_alike(a[i - 2], b[k - 1]))
                now[k] = least(now[k], rows[(i + 1) % 3][k - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

/* Return the distance of a candidate, or FAR. */
static unsigned judge(const char *name, const char *candidate)
{
    size_t length = strlen(name), other = strlen(candidate);
    unsigned most = length < 5 ? 1 : (unsigned)(length + 1) / 3, found;

    if (length > 1 && strncasecmp(name, candidate, length) == 0)
        return other == length ? 0 : 1;
    if (length == 0 || length > LENGTH_LIMIT || other > LENGTH_LIMIT ||
        length > other + most || other > length + most)
        return FAR;
    found = distance(name, length, candidate, other);
    return found <= most && found < length ? found : FAR;
}

const char *near_names(char out[WORDS_SIZE], const struct word_list *list,
                       const char *name)
{
    const char *found[SHOWN];
    struct word_list nearest = { found, sizeof *found, 0 };
    unsigned best = FAR - 1;

    for (size_t i = 0; i < list->count; i++) {
        const char *word = words_at(list, i);
        unsigned now = judge(name, word);

        if (now < best)
            nearest.count = 0;
        if (now > best || nearest.count == SHOWN ||
            words_find(&nearest, word) >= 0)
            continue;
        best = now;
        found[nearest.count++] = word;
    }
    words_print(out, &nearest);
    return out;
}

const char *near_note(char out[NEAR_SIZE], const struct word_list *list,
                      const char *name)
{
    char names[WORDS_SIZE];

    near_names(names, list, name);
    out[0] = '\0';
    if (names[0] != '\0')
        snprintf(out, NEAR_SIZE, " (did you mean %s?)", names);
    return out;
}
