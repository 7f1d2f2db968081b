/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seed_forms.c - the three forms of hooks in the manual, and the text
 *
 * A converted helper, a hash table that keeps its creator's tag, and
 * allocations charged to that tag.
 */
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tally/kmalloc.h"

#include "tests/tags/rows.h"

static void *foo_noprof(size_t size, int fill)
{
    char *block = kmalloc_noprof(size, GFP_KERNEL);

    memset(block, fill, size);
    return block;
}

#define foo(...) alloc_hooks(foo_noprof(__VA_ARGS__))

struct table {
    struct alloc_tag *your_saved_tag;
    void *entries[10];
    int count;
};

static int table_init_noprof(struct table *ht)
{
    alloc_tag_record(ht->your_saved_tag);
    ht->count = 0;
    return 0;
}

#define table_init(...) alloc_hooks(table_init_noprof(__VA_ARGS__))

static void table_add(struct table *ht, size_t size)
{
    ht->entries[ht->count++] =
        alloc_hooks_tag(ht->your_saved_tag, kmalloc_noprof(size, GFP_ATOMIC));
}

static void table_clear(struct table *ht)
{
    while (ht->count > 0)
        kfree(ht->entries[--ht->count]);
}

static int is_row(const char *line)
{
    static regex_t form;
    static int is_compiled;

    if (!is_compiled)
        EXPECT(regcomp(&form,
                       "^ *-?[0-9]+ +[0-9]+ [^ ]+:[0-9]+ "
                       "(\\[[^ ]+\\] )?func:[^ ]+ \n$",
                       REG_EXTENDED) == 0);
    is_compiled = 1;
    return regexec(&form, line, 0, NULL, 0) == 0;
}

/* The output of allocinfo_write(), row by row. */
static void the_text_has_its_form(void)
{
    char line[1000];
    FILE *file = tmpfile();
    int rows = 0, helpers = 0;

    EXPECT(file != NULL);
    EXPECT(allocinfo_write(fileno(file)) == 0);
    rewind(file);
    EXPECT(fgets(line, sizeof line, file) != NULL);
    EXPECT(strcmp(line, "allocinfo - version: 1.0\n") == 0);
    EXPECT(fgets(line, sizeof line, file) != NULL);
    EXPECT(strcmp(line, "#     <size>  <calls> <tag info>\n") == 0);
    while (fgets(line, sizeof line, file) != NULL) {
        EXPECT(is_row(line));
        rows++;
        helpers += strstr(line, "func:foo_noprof") != NULL ||
                   strstr(line, "func:table_init_noprof") != NULL;
    }
    EXPECT(rows > 4);
    EXPECT(helpers == 0);
    fclose(file);
}

int main(void)
{
    struct table one, two;
    int line_one, line_two;
    void *a, *b;

    a = foo(100, 1);
    ROW(100, 1);
    b = foo(30, 2);
    ROW(30, 1);
    line_one = __LINE__ + 1;
    EXPECT(table_init(&one) == 0);
    line_two = __LINE__ + 1;
    EXPECT(table_init(&two) == 0);
    table_add(&one, 10);
    table_add(&one, 20);
    table_add(&two, 1000);
    EXPECT_LINE(line_one, 30, 2);
    EXPECT_LINE(line_two, 1000, 1);
    EXPECT_FILE(1160, 5);
    the_text_has_its_form();
    rows_save("forms.allocinfo", 1, false);
    table_clear(&one);
    EXPECT_LINE(line_one, 0, 0);
    table_clear(&two);
    kfree(a);
    kfree(b);
    EXPECT_FILE(0, 0);
    return 0;
}
