/* SPDX-License-Identifier: Apache-2.0 */
/* sources.c - marshal scopes, memory charged by call, and mapped files */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/memprof/tracker.h"

static struct memprof *profile;

static void expect_last(size_t bytes, size_t samples,
                        enum memprof_source source)
{
    CHECK_IS(last.bytes, bytes);
    CHECK_IS(last.size, (bytes + 7) / 8);
    CHECK_IS(last.n_samples, samples);
    CHECK_IS(last.source, source);
}

static void expect_object(unsigned after, size_t bytes, size_t samples)
{
    last = items[item_count - 1 - after].allocation;
    expect_last(bytes, samples, MEMPROF_MARSHAL);
}

static void check_custom(void)
{
    uint64_t minor = memprof_custom_alloc(100), major, none;

    CHECK(minor != 0);
    expect_last(100, 13, MEMPROF_CUSTOM);
    major = memprof_custom_alloc(1000000);
    CHECK(major != 0 && major != minor);
    expect_last(1000000, 125000, MEMPROF_CUSTOM);
    none = memprof_custom_alloc(0);
    CHECK_IS(none, 0);
    expect("custom", 1, 1, 0, 0, 0);
    memprof_advance();
    expect("custom promoted", 0, 0, 1, 0, 0);
    memprof_custom_free(minor);
    memprof_custom_free(major);
    memprof_custom_free(major);
    memprof_custom_free(none);
    memprof_custom_free(12345);
    expect("custom freed", 0, 0, 0, 0, 2);
}

/* Also in a thread that does nothing else. */
static void check_custom_ends_epochs(void)
{
    struct memprof *short_lived;
    uint64_t tokens[3];

    tally_memprof_nursery(1000, 256);
    short_lived = start_at(1);
    for (int i = 0; i < 3; i++)
        tokens[i] = memprof_custom_alloc(250 * 8);
    expect("750 words", 3, 0, 0, 0, 0);
    CHECK(memprof_custom_alloc(250 * 8) != 0);
    expect("1000 words", 1, 0, 3, 0, 0);
    free(malloc(741 * 8));
    expect("742 more", 0, 1, 0, 0, 1);
    memprof_custom_free(memprof_custom_alloc(8 * 8));
    expect("750 more", 1, 0, 0, 1, 0);
    CHECK(memprof_custom_alloc(8000) != 0);
    expect("a large one", 0, 1, 1, 0, 0);
    for (int i = 0; i < 3; i++)
        memprof_custom_free(tokens[i]);
    expect("promoted, and freed", 0, 0, 0, 0, 3);
    end(short_lived);
    tally_memprof_nursery(262144, 256);
}

/* alloc waits for the outermost end, with the stack of the allocation. */
static void check_scope(void)
{
    void *first, *second, *gone;

    memprof_marshal_begin();
    first = malloc(100);
    memprof_marshal_begin();
    second = malloc(5000);
    memprof_marshal_end();
    gone = malloc(8);
    free(gone);
    expect("waiting", 0, 0, 0, 0, 0);
    memprof_marshal_end();
    expect("the end", 2, 1, 0, 1, 0);
    CHECK_IS(items[item_count - 3].allocation.bytes, 100);
    CHECK_IS(items[item_count - 3].allocation.n_samples, 14);
    CHECK_IS(items[item_count - 3].allocation.source, MEMPROF_MARSHAL);
    CHECK(items[item_count - 3].allocation.callstack_size > 0);
    CHECK_IS(items[item_count - 1].allocation.bytes, 8);
    free(malloc(1));
    CHECK_IS(last.source, MEMPROF_NORMAL);
    expect("after it", 1, 0, 0, 1, 0);
    memprof_marshal_end(); /* one too many */
    memprof_advance();
    free(first);
    free(second);
    expect("freed", 0, 0, 1, 0, 2);
}

/* The bulk block is not reported, each of its objects is. */
static void check_bulk(void)
{
    char *bulk, *other;

    memprof_marshal_begin();
    bulk = malloc(10000);
    other = malloc(50);
    memprof_marshal_object(bulk, 24);
    memprof_marshal_begin();
    memprof_marshal_object(bulk + 24, 40);
    memprof_marshal_end();
    memprof_marshal_object(bulk + 64, 4000);
    expect("waiting", 0, 0, 0, 0, 0);
    memprof_marshal_end();
    expect("objects, and one block that is none", 3, 1, 0, 0, 0);
    expect_object(2, 24, 4);
    expect_object(1, 40, 6);
    expect_object(0, 4000, 501);
    memprof_advance();
    expect("promoted", 0, 0, 3, 0, 0);
    free(bulk);
    expect("they end with the bulk block", 0, 0, 0, 0, 3);
    free(other);
    expect("freed", 0, 0, 0, 0, 1);
    bulk = malloc(10);
    expect("outside of a scope", 1, 0, 0, 0, 0);
    free(bulk);
    expect("outside of a scope", 0, 0, 0, 1, 0);
}

/* Callbacks that wait when others stop the profile, or the thread ends, are
   never called. */
static void *stops(void *unused)
{
    (void)unused;
    CHECK_IS(memprof_stop(), 0);
    return NULL;
}

static void *allocates_in_scope(void *result)
{
    memprof_marshal_begin();
    *(void **)result = malloc(7777);
    return NULL;
}

static unsigned count_of(size_t bytes)
{
    unsigned count = 0;

    for (unsigned i = 0; i < item_count; i++)
        count += items[i].allocation.bytes == bytes;
    return count;
}

static void check_what_never_comes(void)
{
    pthread_t thread;
    void *block;

    forget_all();
    pthread_create(&thread, NULL, allocates_in_scope, &block);
    pthread_join(thread, NULL);
    free(block);
    CHECK_IS(count_of(7777), 0);

    memprof_marshal_begin();
    block = malloc(7777);
    pthread_create(&thread, NULL, stops, NULL);
    pthread_join(thread, NULL);
    memprof_marshal_end();
    free(block);
    CHECK_IS(count_of(7777), 0);
    CHECK_IS(memprof_discard(profile), 0);
    profile = start_at(1);

    memprof_marshal_begin();
    block = malloc(7777);
    CHECK_IS(memprof_stop(), 0); /* the thread's own callbacks come first */
    CHECK_IS(count_of(7777), 1);
    memprof_marshal_end();
    free(block);
    CHECK_IS(count_of(7777), 1);
    CHECK_IS(memprof_discard(profile), 0);
    profile = start_at(1);
    forget_all();
}

/* A map moved by mremap stays the same; maps that it covers end. */
static void check_moved_maps(int file)
{
    void *room =
        mmap(NULL, 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void *map = mmap(NULL, 100, PROT_READ, MAP_SHARED, file, 0), *other;

    CHECK(mremap(map, 100, 8192, MREMAP_MAYMOVE | MREMAP_FIXED, room) == room);
    expect("moved", 1, 0, 0, 0, 0);
    memprof_advance();
    expect("promoted", 0, 0, 1, 0, 0);
    CHECK(mremap(room, 8192, SIZE_MAX, MREMAP_MAYMOVE) == MAP_FAILED);
    expect("not moved", 0, 0, 0, 0, 0);
    other = mmap(NULL, 8192, PROT_READ, MAP_SHARED, file, 0);
    CHECK(mremap(other, 8192, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, room) ==
          room);
    expect("moved over another", 0, 1, 0, 0, 1);
    CHECK(mmap(room, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
               -1, 0) == room);
    expect("covered", 0, 0, 0, 0, 1);
    munmap(room, 65536);
    expect("no file", 0, 0, 0, 0, 0);
}

/* Ranges too large to look up each page. */
static void check_maps_in_a_large_range(int file)
{
    const size_t size = (size_t)1 << 41;
    char *room = mmap(NULL, size, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    void *elsewhere;

    if (room == MAP_FAILED)
        return;
    for (int i = 0; i < 3; i++)
        mmap(room + (size_t)i * 4096, 100, PROT_READ, MAP_SHARED | MAP_FIXED,
             file, 0);
    elsewhere = mmap(NULL, 8192, PROT_READ, MAP_SHARED, file, 0);
    expect("mapped", 3, 1, 0, 0, 0);
    CHECK_IS(munmap(room + 4096, size - 4096), 0);
    expect("unmapped", 0, 0, 0, 2, 0);
    CHECK(munmap(room, SIZE_MAX - 4095) != 0);
    expect("no range", 0, 0, 0, 0, 0);
    munmap(room, 4096);
    expect("the first page", 0, 0, 0, 1, 0);
    munmap(elsewhere, 8192);
    expect("elsewhere", 0, 0, 0, 0, 1);
}

static void check_maps(void)
{
    char name[] = "/tmp/memprof-XXXXXX";
    int file = mkstemp(name);
    void *map, *other;

    CHECK(file >= 0 && ftruncate(file, 8192) == 0);
    unlink(name);
    forget_all();
    map = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE, file, 0);
    CHECK(map != MAP_FAILED);
    expect_last(8192, 1024, MEMPROF_MAP_FILE);
    other = mmap(NULL, 100, PROT_READ, MAP_SHARED, file, 0);
    expect_last(100, 13, MEMPROF_MAP_FILE);
    expect("mapped", 1, 1, 0, 0, 0);
    CHECK_IS(munmap(map, 8192), 0);
    expect("unmapped", 0, 0, 0, 0, 1);
    CHECK(mmap(other, 4096, PROT_READ, MAP_SHARED | MAP_FIXED, file, 4096) ==
          other);
    expect("mapped anew", 0, 1, 0, 1, 0);
    CHECK_IS(munmap(other, 100), 0);
    expect("unmapped", 0, 0, 0, 0, 1);
    map = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(map, 8192);
    expect("no file", 0, 0, 0, 0, 0);
    check_moved_maps(file);
    check_maps_in_a_large_range(file);
    close(file);
}

int main(void)
{
    setvbuf(stderr, NULL, _IONBF, 0);
    check_custom_ends_epochs();
    profile = start_at(1);
    check_custom();
    check_scope();
    check_bulk();
    check_what_never_comes();
    check_maps();
    end(profile);
    CHECK_IS(memprof_custom_alloc(100), 0);
    return end_of_test();
}
