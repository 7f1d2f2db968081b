/* SPDX-License-Identifier: Apache-2.0 */
/* service.c - two blocks for each line that it reads, one of which stays */
#include <stdio.h>
#include <stdlib.h>

void *volatile kept;
void *volatile work;

static void serve(void)
{
    work = malloc(5000);
    kept = malloc(100);
    free(work);
}

int main(void)
{
    char request[100];

    serve();
    while (fgets(request, sizeof request, stdin) != NULL) {
        serve();
        puts("served");
        fflush(stdout);
    }
    return 0;
}
