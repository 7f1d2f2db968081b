/* SPDX-License-Identifier: Apache-2.0 */
/*
 * service.c - a service with sessions, in two releases
 *
 * Each line of input is a request to the service -DNAME. The last SESSIONS
 * sessions are kept. The release compiled with -DRELEASE=2 also remembers all
 * visitors, and never forgets them: a leak.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef RELEASE
#define NAME    "service"
#define RELEASE 1
#endif

enum { SESSIONS = 200, SESSION_SIZE = 3000, WORK_SIZE = 20000 };

struct visitor {
    struct visitor *next;
    char request[1000];
};

static char *sessions[SESSIONS];
static struct visitor *visitors;

static void remember_visitor(const char *request)
{
    struct visitor *visitor = calloc(1, sizeof *visitor);

    if (visitor == NULL)
        return;
    strcpy(visitor->request, request);
    visitor->next = visitors;
    visitors = visitor;
}

static void open_session(unsigned number, const char *request)
{
    char **place = &sessions[number % SESSIONS];

    free(*place);
    *place = malloc(SESSION_SIZE);
    if (*place != NULL)
        snprintf(*place, SESSION_SIZE, NAME " %u: %s", number, request);
}

static void serve(unsigned number, const char *request)
{
    char *work = malloc(WORK_SIZE);

    if (work != NULL)
        snprintf(work, WORK_SIZE, "answer to %s", request);
    open_session(number, request);
    if (RELEASE > 1)
        remember_visitor(request);
    free(work);
}

int main(void)
{
    char request[1000];

    for (unsigned number = 0; fgets(request, sizeof request, stdin) != NULL;
         number++)
        serve(number, request);
    return 0;
}
