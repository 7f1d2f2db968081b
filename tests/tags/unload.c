/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unload.c - 1,000 rounds of dlopen and dlclose, with blocks that stay
 *
 * Rows of an unloaded object stay, marked, while it has live blocks; when it is
 * loaded again its tags continue, and nothing grows.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tags/rows.h"

enum { ROUNDS = 1000, EARLY = 10 };

typedef void *(*take_fn)(size_t size);

static void *load(take_fn *take)
{
    void *handle = dlopen("./plugin.so", RTLD_NOW);

    if (handle == NULL)
        fprintf(stderr, "%s\n", dlerror());
    EXPECT(handle != NULL);
    *(void **)take = dlsym(handle, "plugin_take");
    EXPECT(*take != NULL);
    return handle;
}

/* The bytes of Tally's own rows. */
static int add_own(struct alloc_tag *tag, void *context)
{
    if ((tag->flags & ALLOC_TAG_OWN) != 0)
        *(uint64_t *)context += alloc_tag_read(tag).bytes;
    return 0;
}

static uint64_t own_bytes(void)
{
    uint64_t bytes = 0;

    alloc_tag_for_each(add_own, &bytes);
    return bytes;
}

struct found {
    char rows[4000];
};

static int keep_plugin(const char *piece, size_t size, void *context)
{
    struct found *found = context;

    EXPECT(strlen(found->rows) + size < sizeof found->rows);
    strncat(found->rows, piece, size);
    return 0;
}

/* The rows of the plugin, without the heading. */
static const char *plugin_rows(void)
{
    static struct found found;
    static const struct allocinfo_options options = {
        .version = 2, .wanted = ALLOCINFO_WANT_MODULE, .module = "plugin"
    };

    found.rows[0] = '\0';
    EXPECT(allocinfo_write_to(keep_plugin, &found, &options) == 0);
    return strchr(strchr(found.rows, '\n') + 1, '\n') + 1;
}

int main(void)
{
    static void *blocks[ROUNDS];
    uint64_t own = 0;
    take_fn take;

    for (int i = 0; i < ROUNDS; i++) {
        void *handle = load(&take);

        EXPECT(strstr(plugin_rows(), "unloaded") == NULL);
        blocks[i] = take(3);
        EXPECT(blocks[i] != NULL);
        EXPECT(dlclose(handle) == 0);
        if (i == EARLY)
            own = own_bytes();
    }
    EXPECT(dlopen("./plugin.so", RTLD_NOW | RTLD_NOLOAD) == NULL);
    EXPECT(strcmp(plugin_rows(),
                  "        3000     1000 tests/tags/unload_plugin.c:14 "
                  "[plugin] func:plugin_take unloaded:yes \n") == 0);
    EXPECT(own_bytes() == own);
    rows_save("unloaded.allocinfo", 2, false);
    rows_save("totals.allocinfo", 2, true);
    for (int i = 0; i < ROUNDS; i++)
        free(blocks[i]);
    EXPECT(strcmp(plugin_rows(), "") == 0);
    return 0;
}
