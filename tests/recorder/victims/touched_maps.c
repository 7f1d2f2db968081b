/* SPDX-License-Identifier: Apache-2.0 */
/*
 * touched_maps.c - anonymous memory, a mapped file and a thread stack, touched
 * in part
 *
 * The program ends with its input.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>

#include "tests/recorder/victims/victim.h"

enum { PAGE = 4096, STACK = 1 << 20, DEEP = 50 * PAGE };

static void map(size_t pages, size_t touched, int fd)
{
    volatile char *mapped =
        mmap(NULL, pages * PAGE, PROT_READ | (fd < 0 ? PROT_WRITE : 0),
             MAP_PRIVATE | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);

    REQUIRE(mapped != MAP_FAILED);
    for (size_t i = 0; i < touched; i++) {
        if (fd < 0)
            mapped[i * PAGE] = 1;
        else
            (void)mapped[i * PAGE];
    }
}

static void *descend(void *argument)
{
    char deep[DEEP];
    char byte;

    memset(deep, 1, sizeof deep);
    victim_keep(deep);
    victim_say("touched\n");
    while (read(STDIN_FILENO, &byte, 1) > 0)
        ;
    return argument;
}

static void start(void)
{
    pthread_attr_t attributes;
    pthread_t thread;

    REQUIRE(pthread_attr_init(&attributes) == 0);
    REQUIRE(pthread_attr_setstacksize(&attributes, STACK) == 0);
    REQUIRE(pthread_create(&thread, &attributes, descend, NULL) == 0);
    REQUIRE(pthread_join(thread, NULL) == 0);
}

int main(void)
{
    int fd = open("/proc/self/exe", O_RDONLY);

    REQUIRE(fd >= 0);
    map(64, 10, -1);
    map(10, 2, -1);
    map(4, 4, fd);
    start();
    return 0;
}
