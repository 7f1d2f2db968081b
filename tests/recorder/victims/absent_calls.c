/* SPDX-License-Identifier: Apache-2.0 */
/* absent_calls.c - look up allocators that are not linked */
#include <dlfcn.h>
#include <stddef.h>

#include "tests/recorder/victims/victim.h"

void *mallocx(size_t size, int flags) __attribute__((weak));
void *mi_malloc(size_t size) __attribute__((weak));
void *tc_malloc(size_t size) __attribute__((weak));

static void look(const char *name, const void *weak)
{
    const void *found = dlsym(RTLD_DEFAULT, name);
    const char *error = dlerror();

    victim_say(name);
    victim_say(weak == NULL ? ": no weak reference, " : ": a weak reference, ");
    victim_say(found == NULL ? "no symbol" : "a symbol");
    victim_say(error == NULL ? ", no error\n" : ", an error\n");
}

int main(void)
{
    look("mallocx", (const void *)mallocx);
    look("mi_malloc", (const void *)mi_malloc);
    look("tc_malloc", (const void *)tc_malloc);
    look("sdallocx", NULL);
    return 0;
}
