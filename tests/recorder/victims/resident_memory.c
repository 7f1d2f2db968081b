/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resident_memory.c - hold known amounts of memory, one of each kind
 *
 * Small and large blocks, untouched blocks, anonymous memory, a file, thread
 * stacks, and memory that was freed but not returned. The "raw" kinds map
 * memory past libc.
 */
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/recorder/victims/victim.h"

enum {
    MIB = 1 << 20,
    SMALL_BLOCKS = 1024,
    SMALL_SIZE = 16 * 1024, /* 16 MiB in all */
    LARGE_SIZE = 48 * MIB,  /* by mmap */
    UNTOUCHED_SIZE = 200 * MIB,
    KEPT_SIZE = 8 * MIB, /* freed, and kept by the allocator */
    MAP_SIZE = 24 * MIB,
    RAW_SIZE = 12 * MIB,
    FILE_SIZE = 32 * MIB,
    THREADS = 8,
    STACK_USED = 512 * 1024,
    WHILE_US = 1500000
};

static pthread_barrier_t begun, end;

static void *use_stack(void *argument)
{
    char room[STACK_USED];

    (void)argument;
    memset(victim_keep(room), 1, sizeof room);
    pthread_barrier_wait(&begun);
    pthread_barrier_wait(&end);
    return NULL;
}

static void touch(void *memory, size_t size)
{
    memset(victim_keep(memory), 1, size);
}

static void map_file(void)
{
    int fd = open(".", O_TMPFILE | O_RDWR, 0600);
    void *mapped;

    REQUIRE(fd >= 0 && ftruncate(fd, FILE_SIZE) == 0);
    mapped = mmap(NULL, FILE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    REQUIRE(mapped != MAP_FAILED);
    touch(mapped, FILE_SIZE);
}

static void map_anonymous(void)
{
    void *mapped = mmap(NULL, MAP_SIZE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    REQUIRE(mapped != MAP_FAILED);
    touch(mapped, MAP_SIZE);
}

static void map_raw(void)
{
    long mapped = syscall(SYS_mmap, 0L, (long)RAW_SIZE, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);

    REQUIRE(mapped != -1);
    touch((void *)mapped, RAW_SIZE);
}

/* Blocks below the last one stay with the allocator. */
static void allocate(void)
{
    void *kept[KEPT_SIZE / SMALL_SIZE];

    mallopt(M_MMAP_THRESHOLD, 32 * MIB);
    for (int i = 0; i < KEPT_SIZE / SMALL_SIZE; i++) {
        kept[i] = malloc(SMALL_SIZE);
        touch(kept[i], SMALL_SIZE);
    }
    for (int i = 0; i < SMALL_BLOCKS; i++)
        touch(malloc(SMALL_SIZE), SMALL_SIZE);
    for (int i = 0; i < KEPT_SIZE / SMALL_SIZE; i++)
        free(kept[i]);
    touch(malloc(LARGE_SIZE), LARGE_SIZE);
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];

    if (argc > 1 && strcmp(argv[1], "untouched") == 0)
        victim_keep(malloc(UNTOUCHED_SIZE));
    if (argc > 1 && strcmp(argv[1], "raw") == 0)
        map_raw();
    allocate();
    map_anonymous();
    map_file();
    pthread_barrier_init(&begun, NULL, THREADS + 1);
    pthread_barrier_init(&end, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, use_stack, NULL) == 0);
    pthread_barrier_wait(&begun);
    victim_say("holds it\n");
    usleep(WHILE_US);
    pthread_barrier_wait(&end);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
