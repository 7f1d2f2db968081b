/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catalog.c - a library's catalogue, by author and by word of the title
 *
 * The program reads commands, one per line. All steps of README.md use it:
 *
 *     add AUTHOR;TITLE;YEAR
 *     author AUTHOR            print the titles of this author
 *     word WORD                count the titles with this word
 *     forget                   clear the catalogue
 *     memory                   print the memory of each line of source
 *
 * Lines that begin with "#" are comments.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"
#include "text.h"

#include "tally/allocinfo.h"

struct book {
    struct book *next;  /* older book of the catalogue */
    struct book *other; /* older book of the author */
    char *author;
    char *title;
    char *label; /* as printed on the shelf */
};

struct catalog {
    struct book *books;
    struct table *by_author; /* values: struct book */
    struct table *by_word;   /* values: size_t */
};

static bool catalog_open(struct catalog *catalog)
{
    catalog->books = NULL;
    catalog->by_author = table_new(64);
    catalog->by_word = table_new(0);
    return catalog->by_author != NULL && catalog->by_word != NULL;
}

static void book_free(struct book *book)
{
    free(book->author);
    free(book->title);
    free(book->label);
    free(book);
}

static void free_value(void *value)
{
    free(value);
}

static void keep_value(void *value)
{
    (void)value;
}

static void catalog_close(struct catalog *catalog)
{
    while (catalog->books != NULL) {
        struct book *book = catalog->books;

        catalog->books = book->next;
        book_free(book);
    }
    table_delete(catalog->by_author, keep_value);
    table_delete(catalog->by_word, free_value);
}

static struct book *book_new(const char *author, const char *title,
                             const char *year)
{
    struct book *book = calloc(1, sizeof *book);

    if (book == NULL)
        return NULL;
    book->author = text_copy(author, strlen(author));
    book->title = text_copy(title, strlen(title));
    book->label = text_join(author, ", ", year);
    if (book->author != NULL && book->title != NULL && book->label != NULL)
        return book;
    book_free(book);
    return NULL;
}

static bool count_word(struct table *by_word, const char *word, size_t length)
{
    void **value = table_at(by_word, word, length);
    size_t *count;

    if (value == NULL)
        return false;
    if (*value == NULL)
        *value = calloc(1, sizeof *count);
    count = *value;
    if (count != NULL)
        ++*count;
    return count != NULL;
}

static bool count_words(struct table *by_word, const char *title)
{
    while (*title != '\0') {
        size_t length = strcspn(title, " ");

        if (length > 0 && !count_word(by_word, title, length))
            return false;
        title += length + strspn(title + length, " ");
    }
    return true;
}

static bool catalog_add(struct catalog *catalog, char *line)
{
    const char *author = strtok(line, ";");
    const char *title = strtok(NULL, ";");
    const char *year = strtok(NULL, ";");
    struct book *book;
    void **value;

    if (year == NULL) {
        fprintf(stderr, "catalog: add: AUTHOR;TITLE;YEAR is needed\n");
        return true;
    }
    book = book_new(author, title, year);
    if (book == NULL)
        return false;
    book->next = catalog->books;
    catalog->books = book;
    value = table_at(catalog->by_author, author, strlen(author));
    if (value == NULL)
        return false;
    book->other = *value;
    *value = book;
    return count_words(catalog->by_word, title);
}

static void print_author(struct catalog *catalog, const char *author)
{
    void **value = table_find(catalog->by_author, author);
    const struct book *book = value == NULL ? NULL : *value;

    for (; book != NULL; book = book->other)
        printf("%s (%s)\n", book->title, book->label);
}

static void print_word(struct catalog *catalog, const char *word)
{
    void **value = table_find(catalog->by_word, word);

    printf("%zu\n", value == NULL ? 0 : *(size_t *)*value);
}

/* Print rows of this program; rows of Tally have "[tally]". */
static int print_piece(const char *text, size_t size, void *context)
{
    (void)context;
    return fwrite(text, 1, size, stdout) == size ? 0 : -1;
}

static void print_memory(void)
{
    const struct allocinfo_options options = { .wanted = ALLOCINFO_WANT_MODULE,
                                               .module = "" };

    if (allocinfo_write_to(print_piece, NULL, &options) != 0)
        fprintf(stderr, "catalog: memory: nothing is recorded\n");
}

/* Run a command; return false if there is no memory. */
static bool obey(struct catalog *catalog, char *line)
{
    char *argument = line + strcspn(line, " ");

    if (*argument != '\0')
        *argument++ = '\0';
    if (strcmp(line, "add") == 0)
        return catalog_add(catalog, argument);
    if (strcmp(line, "author") == 0)
        print_author(catalog, argument);
    else if (strcmp(line, "word") == 0)
        print_word(catalog, argument);
    else if (strcmp(line, "memory") == 0)
        print_memory();
    else if (strcmp(line, "forget") == 0) {
        catalog_close(catalog);
        return catalog_open(catalog);
    } else
        fprintf(stderr, "catalog: %s: no such command\n", line);
    return true;
}

int main(void)
{
    struct catalog catalog;
    char line[300];
    bool has_memory = catalog_open(&catalog);

    while (has_memory && fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] != '#')
            has_memory = obey(&catalog, line);
    }
    if (!has_memory)
        fprintf(stderr, "catalog: no memory\n");
    catalog_close(&catalog);
    return !has_memory;
}
