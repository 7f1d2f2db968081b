/* SPDX-License-Identifier: Apache-2.0 */
/*
 * saved_tag.c - a tag that alloc_tag_record() saved outlives its shared object
 *
 * The plugin creates a table and is unloaded. The table still charges to the
 * plugin's line: the row, its numbers, and after another load the same row.
 */
#include "tests/tags/saved_tag.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "tests/tags/rows.h"

enum { LINE = 10, ROUNDS = 100 };

void table_init_noprof(struct table *table)
{
    alloc_tag_record(table->tag);
}

static void *take(struct table *table, size_t size)
{
    return alloc_hooks_tag(table->tag, malloc_noprof(size));
}

/* Load the plugin, let it create the table, and unload it. */
static void create_table(struct table *table, size_t own_bytes)
{
    void *handle = dlopen("./plugin.so", RTLD_NOW);
    void *(*plugin_create)(struct table *, size_t);
    void *own;

    EXPECT(handle != NULL);
    *(void **)&plugin_create = dlsym(handle, "plugin_create");
    EXPECT(plugin_create != NULL);
    own = plugin_create(table, own_bytes);
    if (own_bytes != 0)
        free(own);
    EXPECT(dlclose(handle) == 0);
    EXPECT(dlopen("./plugin.so", RTLD_NOW | RTLD_NOLOAD) == NULL);
}

static int append(const char *piece, size_t size, void *text)
{
    strncat((char *)text, piece, size);
    return 0;
}

static void expect_rows(const char *rows)
{
    struct allocinfo_options options = {};
    char text[4000] = "";
    const char *start;

    options.version = 2;
    options.wanted = ALLOCINFO_WANT_MODULE;
    options.module = "plugin";
    EXPECT(allocinfo_write_to(append, text, &options) == 0);
    start = strchr(strchr(text, '\n') + 1, '\n') + 1;
    if (strcmp(start, rows) != 0)
        rows_fail(start, __LINE__, rows, 0, 0);
}

#define ROW_10(numbers)                                   \
    numbers " tests/tags/saved_tag_plugin.c:10 [plugin] " \
            "func:plugin_create unloaded:yes \n"

int main(void)
{
    struct table first, second;
    struct alloc_tag_counters counters;
    void *blocks[ROUNDS], *block;
    void *program;

    table_init(&first); /* the program's own tag needs no copy */
    EXPECT(first.tag->lineno == __LINE__ - 1 && first.tag->modname == NULL);

    /* Saved before the accounts open, and never used while loaded. */
    EXPECT(tally_sysctl("vm.mem_profiling=0") == 0);
    create_table(&first, 0);
    EXPECT(first.tag != NULL);
    block = take(&first, 5); /* off: not counted */
    EXPECT(tally_sysctl("vm.mem_profiling=1") == 0);
    expect_rows("");
    free(block);
    block = take(&first, 40);
    EXPECT(block != NULL);
    expect_rows(ROW_10("          40        1"));
    counters = alloc_tag_read(first.tag);
    EXPECT(counters.bytes == 40 && counters.total_calls == 1);
    EXPECT(first.tag->lineno == LINE);
    EXPECT(strcmp(first.tag->modname, "plugin") == 0);

    /* Loaded again: the same tag, whose account continues. */
    create_table(&second, 7);
    EXPECT(second.tag == first.tag);
    program = take(&second, 2);
    expect_rows(ROW_10("          42        2"));
    free(block);
    free(program);
    expect_rows("");

    for (int i = 0; i < ROUNDS; i++) {
        create_table(&second, 1);
        EXPECT(second.tag == first.tag);
        blocks[i] = take(&second, 3);
    }
    expect_rows(ROW_10("         300      100"));
    for (int i = 0; i < ROUNDS; i++)
        free(blocks[i]);
    expect_rows("");
    counters = alloc_tag_read(first.tag);
    EXPECT(counters.bytes == 0 && counters.calls == 0);
    EXPECT(counters.total_calls == 2 + ROUNDS);
    return 0;
}
