/* SPDX-License-Identifier: Apache-2.0 */
/*
 * taken_names.c - threads, a child and a plugin beside functions with names of
 * libc's
 *
 * scenarios/taken_names.py adds noise_count(), and functions with names of
 * libc's that allocate first and then do the same: in this program, or in a
 * preloaded library. Their calls are printed, in all and in the child;
 * recording the program must not change the numbers.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "victim.h"

enum { THREADS = 4, ROUNDS = 250 };

long noise_count(void) __attribute__((weak));

/* Print without victim_say(), which calls two of them: strlen and write. */
static void say(const char *who)
{
    char line[64];

    snprintf(line, sizeof line, "%s %ld\n", who,
             noise_count == NULL ? 0 : noise_count() + 2);
    victim_say(line);
}

static void use_memory(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        char *block = malloc(40), *larger;
        void *aligned = NULL;

        REQUIRE(block != NULL);
        memset(block, 'x', 39);
        block[39] = '\0';
        larger = realloc(block, 4000);
        REQUIRE(larger != NULL && strlen(larger) == 39);
        REQUIRE(posix_memalign(&aligned, 64, 100) == 0);
        free(aligned);
        free(larger);
        free(calloc(3, 50));
    }
    errno = 0;
    REQUIRE(victim_keep(malloc(SIZE_MAX / 2)) == NULL && errno == ENOMEM);
}

static void *run(void *argument)
{
    use_memory();
    return argument;
}

static void use_threads(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, run, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        REQUIRE(pthread_join(threads[i], NULL) == 0);
}

static void use_plugin(const char *path)
{
    void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    REQUIRE(plugin != NULL);
    use_memory();
    REQUIRE(dlclose(plugin) == 0);
}

static void use_child(void)
{
    pid_t child = fork();
    int status;

    REQUIRE(child >= 0);
    if (child == 0) {
        use_memory();
        use_threads();
        say("child");
        _exit(0);
    }
    REQUIRE(waitpid(child, &status, 0) == child && status == 0);
}

int main(int count, char **arguments)
{
    REQUIRE(count == 2);
    use_memory();
    use_threads();
    use_plugin(arguments[1]);
    use_child();
    use_memory();
    say("parent");
    _exit(0); /* skips destructors, the recorder's included */
}
