/* SPDX-License-Identifier: Apache-2.0 */
/*
 * release.c - one function that frees memory, named by the argument
 *
 * free_sized and free_aligned_sized are newer than some C libraries: where a
 * library lacks them the victim calls free, like its plain run.
 */
#include <errno.h>
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

void free_sized(void *block, size_t size) __attribute__((weak));
void free_aligned_sized(void *block, size_t alignment, size_t size)
    __attribute__((weak));

static void by_free(void *block)
{
    free(block);
}

static void by_free_sized(void *block)
{
    if (free_sized != NULL && block != NULL)
        free_sized(block, 192);
    else
        free(block);
}

static void by_free_aligned_sized(void *block)
{
    if (free_aligned_sized != NULL && block != NULL)
        free_aligned_sized(block, 64, 192);
    else
        free(block);
}

static void by_realloc(void *block)
{
    if (block != NULL)
        REQUIRE(victim_keep(realloc(block, 0)) == NULL);
}

static void by_reallocarray(void *block)
{
    if (block != NULL)
        REQUIRE(victim_keep(reallocarray(block, 0, 8)) == NULL);
}

static const struct {
    const char *name;
    void (*release)(void *block);
} releases[] = {
    { "free", by_free },
    { "free_sized", by_free_sized },
    { "free_aligned_sized", by_free_aligned_sized },
    { "realloc", by_realloc },
    { "reallocarray", by_reallocarray },
};

static void *request(void)
{
    return victim_keep(aligned_alloc(64, 192));
}

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof releases / sizeof releases[0]; i++) {
        if (argc != 2 || strcmp(argv[1], releases[i].name) != 0)
            continue;
        for (int round = 0; round < 100; round++) {
            void *block = request();

            REQUIRE(block != NULL);
            errno = 77;
            releases[i].release(block);
            REQUIRE(errno == 77);
        }
        releases[i].release(NULL);
        return request() == NULL;
    }
    return VICTIM_FAILED;
}
