/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mixture.c - a program whose memory is the same in each run
 *
 * usage: mixture CHILDREN
 *
 * Three functions allocate blocks of three sizes. CHILDREN children inherit
 * them, free some and allocate others by functions of their own. After each of
 * two steps the program says so in one byte on stdout, and waits for one on
 * stdin; one more child begins with the second step. All end without freeing
 * what is left.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KINDS = 3, MOST_BLOCKS = 4000, MOST_CHILDREN = 16 };

static void *blocks[KINDS][MOST_BLOCKS];
static uint64_t state_of_random = 1;

static uint64_t random_below(uint64_t limit)
{
    state_of_random = state_of_random * UINT64_C(6364136223846793005) + 1;
    return (state_of_random >> 33) % limit;
}

#define ALLOCATES(name, least, most)                       \
    static void *name(void)                                \
    {                                                      \
        return malloc(least + random_below(most - least)); \
    }
ALLOCATES(small, 16, 500)
ALLOCATES(middle, 1000, 9000)
ALLOCATES(large, 60000, 300000)
ALLOCATES(small_of_child, 16, 500)
ALLOCATES(middle_of_child, 1000, 9000)
ALLOCATES(large_of_child, 60000, 300000)

static void *(*const of_parent[KINDS])(void) = { small, middle, large };
static void *(*const of_child[KINDS])(void) = { small_of_child, middle_of_child,
                                                large_of_child };
static void *(*const *allocate)(void) = of_parent;
static const unsigned counts[KINDS] = { 1200, 200, 8 };

/* Free a part of the blocks, in percent, and allocate a part of the first
   count; of these some come and go. */
static void step(unsigned freed, unsigned added, unsigned gone)
{
    for (unsigned kind = 0; kind < KINDS; kind++) {
        unsigned slot = 0;

        for (unsigned i = 0; i < MOST_BLOCKS; i++) {
            if (blocks[kind][i] == NULL || random_below(100) >= freed)
                continue;
            free(blocks[kind][i]);
            blocks[kind][i] = NULL;
        }
        for (unsigned i = 0; i < counts[kind] * gone / 100; i++)
            free(allocate[kind]());
        for (unsigned i = 0; i < counts[kind] * added / 100; i++) {
            while (blocks[kind][slot] != NULL)
                slot++;
            blocks[kind][slot] = allocate[kind]();
        }
    }
}

/* Set a label of the recorder, if there is one. */
static void set_label(const char *value)
{
    void *found = dlsym(RTLD_DEFAULT, "tally_label_set");
    uint32_t (*set)(const char *, const char *);

    *(void **)&set = found;
    if (found != NULL)
        set("part", value);
}

static int children[MOST_CHILDREN][2];
static unsigned child_count;

/* Run a child to its end: it takes a step for each byte from its parent, and
   says so by a byte. */
static void run_child(const int orders[2], const int answers[2])
{
    char order;

    close(orders[1]);
    close(answers[0]);
    state_of_random = child_count + 100;
    allocate = of_child;
    step(25, 30, 10);
    while (write(answers[1], "", 1) == 1 && read(orders[0], &order, 1) == 1)
        step(6, 12, 10);
    exit(0);
}

static void begin_child(void)
{
    int orders[2], answers[2];
    char answer;

    if (pipe(orders) < 0 || pipe(answers) < 0)
        exit(1);
    if (fork() == 0) {
        for (unsigned i = 0; i < child_count; i++)
            close(children[i][1]);
        run_child(orders, answers);
    }
    close(orders[0]);
    close(answers[1]);
    children[child_count][0] = answers[0];
    children[child_count++][1] = orders[1];
    if (read(answers[0], &answer, 1) != 1)
        exit(1);
}

static void wait_for_order(void)
{
    char order;

    if (write(STDOUT_FILENO, "", 1) != 1 || read(STDIN_FILENO, &order, 1) < 0)
        exit(1);
}

int main(int argc, char **argv)
{
    unsigned wanted = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
    char answer;

    set_label("first");
    step(0, 60, 20);
    set_label("second");
    step(10, 40, 20);
    while (child_count < wanted)
        begin_child();
    wait_for_order();
    step(6, 12, 10);
    for (unsigned i = 0; i < child_count; i++) {
        if (write(children[i][1], "", 1) != 1 ||
            read(children[i][0], &answer, 1) != 1)
            return 1;
    }
    if (wanted > 0)
        begin_child();
    wait_for_order();
    for (unsigned i = 0; i < child_count; i++)
        close(children[i][1]);
    while (wait(NULL) > 0)
        continue;
    return 0;
}
