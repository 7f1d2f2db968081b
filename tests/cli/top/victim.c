/* SPDX-License-Identifier: Apache-2.0 */
/* victim.c - holds what screen.py looks for; each byte read lets it grow */
#include <stdlib.h>
#include <unistd.h>

#define CALL __attribute__((noinline)) static void *

CALL holds_most(void)
{
    return malloc(60000);
}
CALL first_caller(void)
{
    return holds_most();
}
CALL second_caller(void)
{
    return holds_most();
}
CALL a_function_whose_name_is_longer_than_any_column_of_eighty_can_be(void)
{
    return malloc(20000);
}
CALL holds_many(void)
{
    void *volatile block = NULL;

    for (int i = 0; i < 50; i++)
        block = malloc(8);
    return block;
}
CALL grows(void)
{
    return malloc(1000);
}
CALL holds_in_the_child(void)
{
    return malloc(5000);
}

int main(void)
{
    void *volatile block = NULL;
    char byte;

    if (fork() == 0) {
        block = holds_in_the_child();
        return read(3, &byte, 1) != 0 || block == NULL;
    }
    block = first_caller();
    block = second_caller();
    block = a_function_whose_name_is_longer_than_any_column_of_eighty_can_be();
    block = holds_many();
    do {
        block = grows();
        write(1, "x", 1);
    } while (read(0, &byte, 1) == 1);
    return block == NULL;
}
