/* SPDX-License-Identifier: Apache-2.0 */
/* Threads whose blocks move all the time, all in one arena. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

enum { THREADS = 4, ROUNDS = 30000, BLOCKS = 64 };

static void *run(void *argument)
{
    uint32_t random = (uint32_t)(uintptr_t)argument * 7919;
    void *blocks[BLOCKS] = { NULL };

    for (int i = 0; i < ROUNDS; i++) {
        void **block;

        random = random * 1103515245 + 12345;
        block = &blocks[(random >> 16) % BLOCKS];
        if (*block != NULL && (random >> 4) % 3 == 0) {
            free(*block);
            *block = NULL;
        } else {
            *block = realloc(*block, 1 + (random >> 8) % 3000);
        }
    }
    for (int i = 0; i < BLOCKS; i++)
        free(blocks[i]);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, (void *)(i + 1));
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
