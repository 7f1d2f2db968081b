/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char *text = strdup("text");
    int is_right = text != NULL && text[3] == 't';

    free(text);
    return !is_right;
}
