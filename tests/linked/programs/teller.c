/* SPDX-License-Identifier: Apache-2.0 */
/*
 * teller.c - a program with tags that obeys commands
 *
 * Each line of standard input is one command; the answer ends with a line that
 * is a full stop. Blocks are numbered 0 to 99.
 *
 *     first N SIZE     block N at the first tag     second N SIZE  second tag
 *     resize N SIZE    at a third tag              free N
 *     elsewhere N      free past Tally             plain N SIZE   no tag
 *     write            the allocinfo text          sysctl TEXT
 *     fork             a child reads the rest      threads COUNT ROUNDS
 *     tags COUNT       one block for each of COUNT tags made at run time
 *     read             the numbers of the first tag
 *     write2           the text with all pairs          plugin N SIZE  its tag
 *     load PATH        the plugin                       unload
 *     race PATH        load it in a thread; meanwhile allocate block 0 at the
 *                      first tag
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tally/alloc_tag.h"
#include "tally/allocinfo.h"
#include "tally/tagged.h"

enum { BLOCKS = 100, MANY = 70000, EXCHANGE = 64, THREADS_LIMIT = 32 };

static void *blocks[BLOCKS];
static struct alloc_tag many[MANY];
static void *exchange[EXCHANGE];
static struct alloc_tag *first_tag;
static void *plugin;
static void *(*plugin_take)(size_t size);

static void *at_first_place(size_t size)
{
    DEFINE_ALLOC_TAG(first);

    first_tag = &first;
    return tally_tag_malloc(&first, size);
}

static void *at_second_place(size_t size)
{
    DEFINE_ALLOC_TAG(second);

    return tally_tag_calloc(&second, 1, size);
}

static void *at_third_place(void *block, size_t size)
{
    DEFINE_ALLOC_TAG(third);

    return tally_tag_realloc(&third, block, size);
}

/* Hand blocks round, so that threads free blocks of others. */
static void *exchange_blocks(void *argument)
{
    long rounds = *(long *)argument;
    unsigned seed = (unsigned)rounds;

    for (long i = 0; i < rounds; i++) {
        size_t slot = (size_t)rand_r(&seed) % EXCHANGE;

        tally_tag_free(__atomic_exchange_n(&exchange[slot],
                                           at_first_place(1 + (size_t)i % 300),
                                           __ATOMIC_ACQ_REL));
    }
    return NULL;
}

static void run_threads(int count, long rounds)
{
    pthread_t threads[THREADS_LIMIT];

    for (int i = 0; i < count && i < THREADS_LIMIT; i++)
        pthread_create(&threads[i], NULL, exchange_blocks, &rounds);
    for (int i = 0; i < count && i < THREADS_LIMIT; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < EXCHANGE; i++)
        tally_tag_free(
            __atomic_exchange_n(&exchange[i], NULL, __ATOMIC_ACQ_REL));
}

static void use_many_tags(int count)
{
    for (int i = 0; i < count && i < MANY; i++) {
        many[i] = (struct alloc_tag){ .file = "many.c",
                                      .function = "many",
                                      .lineno = (uint32_t)i + 1 };
        if (tally_tag_malloc(&many[i], 10) == NULL)
            exit(1);
    }
}

static void load(const char *path)
{
    plugin = dlopen(path, RTLD_NOW);
    if (plugin == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    *(void **)&plugin_take = dlsym(plugin, "plugin_take");
}

static void *load_in_thread(void *path)
{
    load(path);
    return NULL;
}

/* Load a plugin whose dependency is slow to initialize, under the loader's
   lock. */
static void race(char *path)
{
    pthread_t thread;

    setenv("TELLER_IS_SLOW", "1", 1);
    pthread_create(&thread, NULL, load_in_thread, path);
    usleep(100000);
    blocks[0] = at_first_place(5);
    pthread_join(thread, NULL);
}

static int print(const char *text, size_t size, void *context)
{
    (void)context;
    fwrite(text, 1, size, stdout);
    return 0;
}

static void write_all_pairs(void)
{
    static const struct allocinfo_options options = { .version = 2,
                                                      .has_totals = true,
                                                      .has_peaks = true };

    allocinfo_write_to(print, NULL, &options);
}

/* Let a child read the other commands while the parent waits. */
static void go_on_in_child(void)
{
    pid_t child = fork();
    int status;

    if (child == 0)
        return;
    waitpid(child, &status, 0);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

/* Fork children that allocate and exit, one after the other. */
static void fork_many(long count)
{
    for (; count > 0; count--) {
        pid_t child = fork();

        if (child == 0) {
            at_first_place(1);
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
}

static void obey(char *line)
{
    char word[16] = "", rest[128] = "";
    long number = 0, size = 0;

    sscanf(line, "%15s %127[^\n]", word, rest);
    sscanf(rest, "%ld %ld", &number, &size);
    if (strcmp(word, "first") == 0)
        blocks[number] = at_first_place((size_t)size);
    else if (strcmp(word, "second") == 0)
        blocks[number] = at_second_place((size_t)size);
    else if (strcmp(word, "plain") == 0)
        blocks[number] = malloc((size_t)size);
    else if (strcmp(word, "resize") == 0)
        blocks[number] = at_third_place(blocks[number], (size_t)size);
    else if (strcmp(word, "free") == 0)
        tally_tag_free(blocks[number]);
    else if (strcmp(word, "load") == 0)
        load(rest);
    else if (strcmp(word, "race") == 0)
        race(rest);
    else if (strcmp(word, "unload") == 0)
        dlclose(plugin);
    else if (strcmp(word, "plugin") == 0)
        blocks[number] = plugin_take((size_t)size);
    else if (strcmp(word, "write2") == 0)
        write_all_pairs();
    else if (strcmp(word, "elsewhere") == 0)
        free(blocks[number]);
    else if (strcmp(word, "threads") == 0)
        run_threads((int)number, size);
    else if (strcmp(word, "tags") == 0)
        use_many_tags((int)number);
    else if (strcmp(word, "sysctl") == 0)
        printf("%d\n", tally_sysctl(rest));
    else if (strcmp(word, "fork") == 0)
        go_on_in_child();
    else if (strcmp(word, "forks") == 0)
        fork_many(number);
    else if (strcmp(word, "write") == 0)
        printf("%d\n", (fflush(stdout), allocinfo_write(STDOUT_FILENO)));
    else if (strcmp(word, "read") == 0)
        printf("%llu %llu\n",
               (unsigned long long)alloc_tag_read(first_tag).bytes,
               (unsigned long long)alloc_tag_read(first_tag).calls);
    else if (strcmp(word, "pid") == 0)
        printf("%ld\n", (long)getpid());
    printf(".\n");
    fflush(stdout);
}

int main(void)
{
    static char input[256], output[4096];
    char line[256];

    /* buffers allocated by libc would be rows of the recorder */
    setvbuf(stdin, input, _IOLBF, sizeof input);
    setvbuf(stdout, output, _IOFBF, sizeof output);
    while (fgets(line, sizeof line, stdin) != NULL)
        obey(line);
    return 0;
}
