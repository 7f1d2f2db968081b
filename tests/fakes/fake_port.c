/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake_port.c - a port that tests script
 *
 * Every piece has a page of notes before it and a page without access behind:
 *
 *     | notes: size, neighbours | size bytes, in whole pages | no access |
 *                               ^ what the caller gets
 *
 * All live pieces are in one ring, so that a reset can unmap them.
 */
#include "tests/fakes/fake_port.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tally/port.h"

struct piece {
    struct piece *next;
    struct piece *previous;
    size_t size;
};

static pthread_mutex_t ring_lock = PTHREAD_MUTEX_INITIALIZER;
static struct piece ring = { &ring, &ring, 0 };
static uint64_t requests;
static uint64_t fail_first, fail_last; /* requests, from 1; 0: none */
static size_t pages_out;
static void (*at_forget)(void);

static pthread_mutex_t port_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static uint32_t lock_depth;

static const char *environment;
static const char *module;
static char console[4096];
static size_t console_size;
static int write_error;

static void broken_contract(const char *what)
{
    fprintf(stderr, "fake_port: %s\n", what);
    abort();
}

static size_t whole_pages(size_t size)
{
    return (size + FAKE_PORT_PAGE - 1) / FAKE_PORT_PAGE;
}

static void unlink_piece(struct piece *piece)
{
    size_t pages = whole_pages(piece->size);

    piece->previous->next = piece->next;
    piece->next->previous = piece->previous;
    pages_out -= pages;
    munmap(piece, (pages + 2) * FAKE_PORT_PAGE);
}

static struct piece *map_piece(size_t size)
{
    size_t pages = whole_pages(size);
    char *piece =
        mmap(NULL, (pages + 2) * FAKE_PORT_PAGE, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (piece == MAP_FAILED)
        broken_contract("this machine has no memory for the test");
    if (mprotect(piece + (pages + 1) * FAKE_PORT_PAGE, FAKE_PORT_PAGE,
                 PROT_NONE) != 0)
        broken_contract("no page without access can be made");
    return (struct piece *)(void *)piece;
}

void fake_port_reset(void)
{
    pthread_mutex_lock(&ring_lock);
    while (ring.next != &ring)
        unlink_piece(ring.next);
    requests = 0;
    fail_first = fail_last = 0;
    at_forget = NULL;
    pthread_mutex_unlock(&ring_lock);
    fake_port_set_time_ns(0);
    fake_port_set_may_wait(true);
    environment = NULL;
    module = NULL;
    console_size = 0;
    write_error = 0;
}

static void fail_between(uint64_t n, bool is_last)
{
    pthread_mutex_lock(&ring_lock);
    fail_first = n == 0 ? 0 : requests + n;
    fail_last = is_last ? fail_first : UINT64_MAX;
    pthread_mutex_unlock(&ring_lock);
}

void fake_port_fail_at(uint64_t n)
{
    fail_between(n, true);
}

void fake_port_fail_from(uint64_t n)
{
    fail_between(n, false);
}

uint64_t fake_port_requests(void)
{
    pthread_mutex_lock(&ring_lock);
    uint64_t count = requests;
    pthread_mutex_unlock(&ring_lock);
    return count;
}

size_t fake_port_pages_out(void)
{
    pthread_mutex_lock(&ring_lock);
    size_t count = pages_out;
    pthread_mutex_unlock(&ring_lock);
    return count;
}

uint32_t fake_port_lock_depth(void)
{
    return __atomic_load_n(&lock_depth, __ATOMIC_RELAXED);
}

void *tally_port_pages_alloc(size_t size)
{
    struct piece *piece = NULL;

    pthread_mutex_lock(&ring_lock);
    requests++;
    if (fail_first == 0 || requests < fail_first || requests > fail_last) {
        piece = map_piece(size);
        *piece = (struct piece){ &ring, ring.previous, size };
        ring.previous->next = piece;
        ring.previous = piece;
        pages_out += whole_pages(size);
    }
    pthread_mutex_unlock(&ring_lock);
    return piece == NULL ? NULL : (char *)piece + FAKE_PORT_PAGE;
}

void fake_port_at_forget(void (*act)(void))
{
    at_forget = act;
}

void tally_port_pages_fill(void *pages, size_t size)
{
    (void)pages, (void)size;
}

void tally_port_pages_forget(void *pages, size_t size)
{
    void (*act)(void) = at_forget;

    at_forget = NULL;
    if (act != NULL)
        act();
    if (madvise(pages, size, MADV_DONTNEED) != 0)
        broken_contract("pages forgotten that are not out");
}

void tally_port_pages_free(void *pages, size_t size)
{
    struct piece *piece;

    pthread_mutex_lock(&ring_lock);
    for (piece = ring.next; piece != &ring; piece = piece->next) {
        if ((char *)piece + FAKE_PORT_PAGE == pages)
            break;
    }
    if (piece == &ring)
        broken_contract("pages given back that are not out");
    if (piece->size != size)
        broken_contract("pages given back with another size");
    unlink_piece(piece);
    pthread_mutex_unlock(&ring_lock);
}

uint32_t tally_port_lock(void)
{
    pthread_mutex_lock(&port_lock);
    return __atomic_fetch_add(&lock_depth, 1, __ATOMIC_RELAXED);
}

void tally_port_unlock(uint32_t key)
{
    if (__atomic_sub_fetch(&lock_depth, 1, __ATOMIC_RELAXED) != key)
        broken_contract("an unlock that does not match its lock");
    pthread_mutex_unlock(&port_lock);
}

void fake_port_set_environment(const char *value)
{
    environment = value;
}

void fake_port_set_module(const char *name)
{
    module = name;
}

void fake_port_fail_writes(int error)
{
    write_error = error;
}

const char *fake_port_console(void)
{
    console[console_size] = '\0';
    return console;
}

const char *tally_port_environment(const char *name)
{
    (void)name;
    return environment;
}

int tally_port_write(int descriptor, const void *bytes, size_t size)
{
    if (write_error != 0)
        return write_error;
    return write(descriptor, bytes, size) == (ssize_t)size ? 0 : -1;
}

void tally_port_console(const char *line, size_t size)
{
    if (size > sizeof console - 1 - console_size)
        broken_contract("more on the console than the test can look at");
    memcpy(console + console_size, line, size);
    console_size += size;
}

void tally_port_abort(void)
{
    broken_contract("the program was ended");
    abort();
}

bool tally_port_module_name(const void *address, char *name, size_t capacity)
{
    (void)address;
    if (module == NULL)
        return false;
    snprintf(name, capacity, "%s", module);
    return true;
}

uint64_t tally_port_unloads(void)
{
    return 0;
}
