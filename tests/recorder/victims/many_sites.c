/* SPDX-License-Identifier: Apache-2.0 */
/*
 * many_sites.c - a given number of call sites, made at run time
 *
 * Each is a few instructions that call malloc, in memory without a file. Four
 * threads call them at once in different orders, and fork meanwhile.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "tests/recorder/victims/victim.h"

enum { THREADS = 4, CODE = 32 };

typedef void *request_fn(size_t size);

static unsigned char *code;
static size_t site_count;

/* sub $8,%rsp; mov $malloc,%rax; call *%rax; add $8,%rsp; ret */
static void write_site(unsigned char *at)
{
    static const unsigned char head[] = { 0x48, 0x83, 0xec, 8, 0x48, 0xb8 };
    static const unsigned char tail[] = {
        0xff, 0xd0, 0x48, 0x83, 0xc4, 8, 0xc3
    };
    request_fn *target = malloc;

    memcpy(at, head, sizeof head);
    memcpy(at + sizeof head, &target, sizeof target);
    memcpy(at + sizeof head + sizeof target, tail, sizeof tail);
}

static void *call_site(size_t number)
{
    unsigned char *at = code + number * CODE;
    request_fn *request;

    memcpy(&request, &at, sizeof request);
    return victim_keep(request(40));
}

static void *run(void *argument)
{
    size_t first = (size_t)(uintptr_t)argument * (site_count / THREADS);

    for (size_t i = 0; i < site_count; i++)
        free(call_site((first + i) % site_count));
    return NULL;
}

static void fork_once(void)
{
    pid_t child = fork();
    int status;

    REQUIRE(child >= 0);
    if (child == 0) {
        for (size_t i = 0; i < site_count; i += 100)
            call_site(i);
        _exit(0);
    }
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];

    REQUIRE(argc == 2);
    site_count = strtoul(argv[1], NULL, 10);
    code = mmap(NULL, site_count * CODE, PROT_READ | PROT_WRITE | PROT_EXEC,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(code != MAP_FAILED);
    for (size_t i = 0; i < site_count; i++)
        write_site(code + i * CODE);
    for (uintptr_t i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, run, (void *)i) == 0);
    for (int i = 0; i < 10; i++)
        fork_once();
    for (int i = 0; i < THREADS; i++)
        REQUIRE(pthread_join(threads[i], NULL) == 0);
    for (size_t i = 0; i < site_count; i++)
        call_site(i);
    return 0;
}
