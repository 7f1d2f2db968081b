/* SPDX-License-Identifier: Apache-2.0 */
/* posix_features.c - a program that selects only POSIX, after -include */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/tags/rows.h"

static const char *basename(const char *path)
{
    return path + strlen(path);
}

int main(void)
{
    char buffer[100];
    const int error = strerror_r(ENOENT, buffer, sizeof buffer);

    EXPECT(error == 0);
    EXPECT(basename("/a/b")[0] == '\0');
    free(strdup("x"));
    ROW(0, 0);
    EXPECT(rows_of(__FILE__, __LINE__ - 2).total_calls == 1);
    return 0;
}
