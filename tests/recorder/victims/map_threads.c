/* SPDX-License-Identifier: Apache-2.0 */
/* map_threads.c - four threads map and unmap at once */
#include <pthread.h>
#include <sys/mman.h>

#include "tests/recorder/victims/victim.h"

enum { THREADS = 4, ROUNDS = 3000, KEPT = 100, PAGE = 4096 };

static char *map(size_t pages)
{
    char *mapped = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    REQUIRE(mapped != MAP_FAILED);
    return mapped;
}

static char *map_kept(void)
{
    return mmap(NULL, 2 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void *run(void *argument)
{
    for (int i = 0; i < ROUNDS; i++) {
        size_t pages = (size_t)(i % 8) + 2;
        char *mapped = map(pages);

        mapped[0] = 1;
        if (i % 3 == 0) {
            REQUIRE(munmap(mapped, PAGE) == 0);
            REQUIRE(munmap(mapped + PAGE, (pages - 1) * PAGE) == 0);
        } else {
            REQUIRE(munmap(mapped, pages * PAGE) == 0);
        }
        if (i < KEPT)
            map_kept();
    }
    return argument;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, run, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        REQUIRE(pthread_join(threads[i], NULL) == 0);
    return 0;
}
