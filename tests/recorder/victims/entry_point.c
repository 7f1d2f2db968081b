/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entry_point.c - call the function of the malloc family named by the argument
 *
 * Each is called for the same ten sizes, nine blocks are freed, and then a
 * request fails. The program checks bytes, alignment and errno.
 */
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

#define TOO_MUCH ((size_t)PTRDIFF_MAX - 4096)

struct entry {
    const char *name;
    size_t alignment;
    void *(*request)(size_t size);
};

static const size_t sizes[] = { 0, 1, 7, 16, 24, 100, 1000, 4096, 200000, 64 };

static void *by_malloc(size_t size)
{
    return malloc(size);
}

static void *by_calloc(size_t size)
{
    unsigned char *block = calloc(size, 1);

    for (size_t i = 0; block != NULL && i < size; i++)
        REQUIRE(block[i] == 0);
    return block;
}

static void *by_realloc(size_t size)
{
    return realloc(NULL, size);
}

static void *by_reallocarray(size_t size)
{
    return reallocarray(NULL, size, 1);
}

static void *by_posix_memalign(size_t size)
{
    void *block = NULL;
    int before = errno;
    int error = posix_memalign(&block, 128, size);

    REQUIRE(errno == before || error != 0);
    if (error == 0)
        return block;
    errno = error;
    return NULL;
}

static void *by_aligned_alloc(size_t size)
{
    return aligned_alloc(256, size);
}

static void *by_memalign(size_t size)
{
    return memalign(512, size);
}

static void *by_valloc(size_t size)
{
    return valloc(size);
}

static void *by_pvalloc(size_t size)
{
    return pvalloc(size);
}

static const struct entry entries[] = {
    { "malloc", 16, by_malloc },
    { "calloc", 16, by_calloc },
    { "realloc", 16, by_realloc },
    { "reallocarray", 16, by_reallocarray },
    { "posix_memalign", 128, by_posix_memalign },
    { "aligned_alloc", 256, by_aligned_alloc },
    { "memalign", 512, by_memalign },
    { "valloc", 4096, by_valloc },
    { "pvalloc", 4096, by_pvalloc },
};

static void use(const struct entry *entry)
{
    const size_t count = sizeof sizes / sizeof sizes[0];

    for (size_t i = 0; i < count; i++) {
        void *block = victim_keep(entry->request(sizes[i]));

        REQUIRE(block != NULL);
        REQUIRE((uintptr_t)block % entry->alignment == 0);
        REQUIRE(malloc_usable_size(block) >= sizes[i]);
        memset(block, 0xa5, sizes[i]);
        if (i + 1 == count)
            break;
        errno = 77;
        free(block);
        REQUIRE(errno == 77);
    }
    errno = 0;
    REQUIRE(victim_keep(entry->request(TOO_MUCH)) == NULL);
    REQUIRE(errno == ENOMEM);
}

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        if (argc == 2 && strcmp(argv[1], entries[i].name) == 0) {
            use(&entries[i]);
            return 0;
        }
    }
    return VICTIM_FAILED;
}
