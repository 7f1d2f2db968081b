/* SPDX-License-Identifier: Apache-2.0 */
/* glob.c - see text.h; what a * stands for only ever grows */
#include "tool/text/text.h"

bool glob_matches(const char *glob, const char *text)
{
    const char *star = NULL, *from = NULL;

    while (*text != '\0') {
        if (*glob == '*') {
            star = ++glob;
            from = text;
        } else if (*glob == '?' || *glob == *text) {
            glob++;
            text++;
        } else if (star != NULL) {
            glob = star;
            text = ++from;
        } else {
            return false;
        }
    }
    while (*glob == '*')
        glob++;
    return *glob == '\0';
}
