/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agreement.c - a program measured by both Valgrind and Tally
 *
 * Compiled unchanged for one, with -include tally/malloc.h and -DPRINTS_ROWS
 * for the other. Its live blocks at the end are compared.
 */
#ifdef PRINTS_ROWS
#include <stdbool.h>
#include <unistd.h>

#include "tally/allocinfo.h"

static int print_piece(const char *text, size_t size, void *context)
{
    (void)context;
    return write(1, text, size) == (ssize_t)size ? 0 : -1;
}
#endif

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 300, ROUNDS = 5000 };

static void *slots[SLOTS];

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void *allocate(uint32_t random)
{
    size_t size = random % 700;
    void *block = NULL;

    switch (random / 700 % 6) {
    case 0:
        return malloc(size + 1);
    case 1:
        return calloc(1 + size % 7, 1 + size / 7);
    case 2:
        return strdup("a text of some length");
    case 3:
        return realloc(NULL, size + 1);
    case 4:
        return posix_memalign(&block, 64, size + 1) == 0 ? block : NULL;
    default:
        return strndup("another text", size % 20);
    }
}

static void *work(void *seed)
{
    uint32_t state = (uint32_t)(uintptr_t)seed;

    for (int i = 0; i < ROUNDS; i++) {
        uint32_t slot = next_random(&state) % SLOTS;

        if (i % 4 == 0) {
            slots[slot] = realloc(slots[slot], 1 + next_random(&state) % 5000);
            continue;
        }
        free(slots[slot]);
        slots[slot] = allocate(next_random(&state));
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;

    work((void *)1);
    if (pthread_create(&thread, NULL, work, (void *)2) != 0)
        return 1;
    pthread_join(thread, NULL);
#ifdef PRINTS_ROWS
    static const struct allocinfo_options options = { .version = 2,
                                                      .has_totals = true,
                                                      .wanted =
                                                          ALLOCINFO_WANT_MODULE,
                                                      .module = "" };
    return allocinfo_write_to(print_piece, NULL, &options) != 0;
#else
    return 0;
#endif
}
