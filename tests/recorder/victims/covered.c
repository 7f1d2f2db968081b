/* SPDX-License-Identifier: Apache-2.0 */
/*
 * covered.c - clean programs whose recording covers a part of them: by argument
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/recorder/victims/victim.h"

#define OWN __attribute__((noinline))

enum { MIB = 1024 * 1024, ENTRIES = 16000, ENTRY = 1000, ROUNDS = 100 };

static char *entries[ENTRIES];

static void pause_ms(long ms)
{
    const struct timespec time = { .tv_nsec = ms * 1000000 };

    nanosleep(&time, NULL);
}

OWN static char *cache_entry(void)
{
    char *entry = malloc(ENTRY);

    REQUIRE(entry != NULL);
    return memset(entry, 1, ENTRY);
}

OWN static char *open_session(void)
{
    return cache_entry();
}

static void fill(void)
{
    for (int i = 0; i < ENTRIES; i++)
        entries[i] = cache_entry();
}

static void empty(void)
{
    for (int i = 0; i < ENTRIES; i++)
        free(entries[i]);
}

static void wait_for_byte(void)
{
    char byte;

    victim_say(".");
    REQUIRE(read(STDIN_FILENO, &byte, 1) == 1);
}

/* Fill a cache; then, once told, replace each entry over two seconds. */
static void cache(void)
{
    fill();
    wait_for_byte();
    for (int i = 0; i < ENTRIES; i++) {
        free(entries[i]);
        entries[i] = cache_entry();
        if (i % (ENTRIES / ROUNDS) == 0)
            pause_ms(20);
    }
    wait_for_byte();
    empty();
}

/* Fill a cache; then, once told, add as many entries over two seconds. */
static void sessions(void)
{
    static char *open[ENTRIES];

    fill();
    wait_for_byte();
    for (int i = 0; i < ENTRIES; i++) {
        open[i] = open_session();
        if (i % (ENTRIES / ROUNDS) == 0)
            pause_ms(20);
    }
    wait_for_byte();
    for (int i = 0; i < ENTRIES; i++)
        free(open[i]);
    empty();
}

/* Workers inherit the cache, and leave by _exit. */
static void prefork(void)
{
    fill();
    for (int i = 0; i < 2; i++) {
        if (fork() != 0)
            continue;
        for (int request = 0; request < ROUNDS; request++) {
            free(cache_entry());
            pause_ms(10);
        }
        _exit(0);
    }
    while (wait(NULL) > 0)
        ;
    empty();
}

/* Take pages in steps, by brk or past libc, and ask malloc for little. */
static void pages(int is_by_call)
{
    for (int i = 0; i < 20; i++) {
        void *page =
            is_by_call
                ? (void *)syscall(SYS_mmap, NULL, MIB, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                : sbrk(MIB);

        memset(page, 1, MIB);
        free(cache_entry());
        pause_ms(60);
    }
}

static void namespace(void)
{
    char path[4096] = "";
    void *(*fill_namespace)(void);
    void *library, *symbol;

    REQUIRE(readlink("/proc/self/exe", path, sizeof path / 2) > 0);
    strcpy(strrchr(path, '/'), "/plugin_covered.so");
    library = dlmopen(LM_ID_NEWLM, path, RTLD_NOW);
    REQUIRE(library != NULL);
    symbol = dlsym(library, "fill_namespace");
    memcpy(&fill_namespace, &symbol, sizeof symbol);
    REQUIRE(fill_namespace() != NULL);
    for (int i = 0; i < ROUNDS; i++)
        pause_ms(10);
}

int main(int count, char **arguments)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = { { "cache", cache },
                  { "sessions", sessions },
                  { "prefork", prefork },
                  { "namespace", namespace } };
    const char *part = count == 2 ? arguments[1] : "";

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (strcmp(parts[i].name, part) == 0) {
            parts[i].run();
            return 0;
        }
    }
    pages(strcmp(part, "syscall") == 0);
    return 0;
}
