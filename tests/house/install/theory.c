/* SPDX-License-Identifier: Apache-2.0 */
/*
 * theory.c - the forms of Linux's "Theory of operation", and the text they give
 *
 * Printed twice: while blocks are live, and after all were freed.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tally/kmalloc.h>

struct book {
    char *title;
};

/* A helper: its callers are charged. */
static struct book *foo_noprof(const char *title)
{
    struct book *book = kmalloc_noprof(sizeof *book, GFP_KERNEL);

    book->title = kstrdup_noprof(title, GFP_KERNEL);
    return book;
}

#define foo(...) alloc_hooks(foo_noprof(__VA_ARGS__))

static void put(struct book *book)
{
    kfree(book->title);
    kfree(book);
}

/* A data structure that allocates on behalf of others. */
struct table {
    struct alloc_tag *your_saved_tag;
    void *entries[8];
    unsigned count;
};

static void table_init_noprof(struct table *ht)
{
    memset(ht, 0, sizeof *ht);
    alloc_tag_record(ht->your_saved_tag);
}

#define table_init(...) alloc_hooks(table_init_noprof(__VA_ARGS__))

static void table_add(struct table *ht, size_t size)
{
    ht->entries[ht->count++] =
        alloc_hooks_tag(ht->your_saved_tag, kmalloc_noprof(size, GFP_KERNEL));
}

static void table_clear(struct table *ht)
{
    while (ht->count > 0)
        kfree(ht->entries[--ht->count]);
}

int main(void)
{
    struct table small, large;
    struct book *one = foo("one");
    struct book *two = foo("twenty two");
    char *plain = strdup("nine byte");
    void *block = malloc(1000);

    block = realloc(block, 3000);
    table_init(&small);
    table_init(&large);
    table_add(&small, 30);
    table_add(&large, 5000);
    table_add(&large, 6000);
    if (allocinfo_write(STDOUT_FILENO) != 0)
        return 1;
    put(one);
    put(two);
    free(plain);
    free(block);
    table_clear(&small);
    table_clear(&large);
    return allocinfo_write(STDOUT_FILENO) != 0;
}
