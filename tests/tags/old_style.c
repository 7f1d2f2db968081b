/* SPDX-License-Identifier: Apache-2.0 */
/*
 * old_style.c - C as it was written before it had prototypes
 *
 * It declares functions itself and has its own bool, true and false.
 */
typedef enum { false, true } bool;
typedef unsigned int uint;

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tags/rows.h"

extern void *malloc();
extern void free();

static char *copy(text)
char *text;
{
    char *block = malloc(strlen(text) + 1);

    strcpy(block, text);
    return block;
}

/* Arguments of any arithmetic type, as a prototype converts them. */
static void any_type()
{
    enum size { FOUR = 4 } named = FOUR;
    short little = 4;
    unsigned char byte = 4;
    long long large = 4;
    float real = 4.5f;
    bool is_one = true;
    struct {
        uint bits : 3;
        const char name[8];
    } record = { 4, "record" };
    void *blocks[12];
    int i;

    blocks[0] = malloc(named);
    blocks[1] = malloc(FOUR);
    blocks[2] = malloc(little);
    blocks[3] = malloc(byte);
    blocks[4] = malloc(large);
    blocks[5] = malloc(real);
    blocks[6] = malloc(record.bits);
    blocks[7] = malloc(is_one ? 4 : 5L);
    EXPECT_FILE(32, 8);
    blocks[8] = calloc(record.bits, little);
    ROW(16, 1);
    blocks[9] = realloc(NULL, byte);
    ROW(4, 1);
    blocks[10] = strdup(record.name);
    ROW(7, 1);
    blocks[11] = strndup("literal", '\3');
    ROW(4, 1);
    for (i = 0; i < 12; i++)
        free(blocks[i]);
    EXPECT_FILE(0, 0);
}

int main(count, arguments)
int count;
char **arguments;
{
    char *block = copy("text");
    int i = 7;

    (void)arguments;
    EXPECT_LINE(22, 5, 1);
    free(block);
    any_type();
    {
        extern void *malloc();

        block = malloc(i++);
        ROW(7, 1);
    }
    EXPECT(i == 8); /* evaluated once */
    free(block);
    if (count > 0)
        block = malloc(1);
    else
        block = malloc(2);
    EXPECT_FILE(1, 1);
    goto end;
end:
    free(block);
    EXPECT_FILE(0, 0);
    return 0;
}
