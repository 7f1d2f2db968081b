/* SPDX-License-Identifier: Apache-2.0 */
/*
 * port.c - tally/port.h on a processor without an operating system
 *
 * Functions never wait: there is one thread, and interrupts.
 */
#include "tally/port.h"

#include <string.h>

#include "ports/bare_metal/machine.h"
#include "tally/bare_metal.h"
#include "tally/thread.h"

#ifndef TALLY_ARENA_BYTES
#define TALLY_ARENA_BYTES 4096
#endif

enum { PIECE = 16 };

static _Alignas(PIECE) unsigned char arena[TALLY_ARENA_BYTES];
static size_t arena_used;

static size_t whole_pieces(size_t size)
{
    return (size + PIECE - 1) & ~(size_t)(PIECE - 1);
}

uint32_t tally_port_lock(void)
{
    return interrupts_mask();
}

void tally_port_unlock(uint32_t key)
{
    interrupts_restore(key);
}

uint64_t tally_port_guard(uint32_t *guard)
{
    (void)guard;
    return interrupts_mask();
}

void tally_port_unguard(uint32_t *guard, uint64_t kept)
{
    (void)guard;
    interrupts_restore((uint32_t)kept);
}

bool tally_port_may_wait(void)
{
    return false;
}

__attribute__((weak)) void tally_port_wait(const uint32_t *word, uint32_t value,
                                           uint64_t until_ns)
{
    (void)word;
    (void)value;
    (void)until_ns;
}

void tally_port_wake(const uint32_t *word)
{
    (void)word;
}

__attribute__((weak)) struct tally_thread *tally_port_thread(void)
{
    static struct tally_thread thread;

    return &thread;
}

void tally_port_on_fork(void (*in_child)(void))
{
    (void)in_child;
}

void *tally_port_pages_alloc(size_t size)
{
    uint32_t key = tally_port_lock();
    void *pages = NULL;

    if (size <= sizeof arena - arena_used) {
        pages = arena + arena_used;
        arena_used += whole_pieces(size);
    }
    tally_port_unlock(key);
    return pages;
}

/* Accounts free at most what they allocated last, still unused. */
void tally_port_pages_free(void *pages, size_t size)
{
    uint32_t key = tally_port_lock();

    if ((unsigned char *)pages + whole_pieces(size) == arena + arena_used) {
        arena_used -= whole_pieces(size);
        memset(pages, 0, size);
    }
    tally_port_unlock(key);
}

/* Nothing to do: the arena keeps its memory. */
void tally_port_pages_fill(void *pages, size_t size)
{
    (void)pages, (void)size;
}

void tally_port_pages_forget(void *pages, size_t size)
{
    (void)pages, (void)size;
}

const char *tally_port_environment(const char *name)
{
    (void)name;
    return NULL;
}

bool tally_port_module_name(const void *address, char *name, size_t capacity)
{
    (void)address;
    (void)name;
    (void)capacity;
    return false;
}

uint64_t tally_port_unloads(void)
{
    return 0;
}

__attribute__((weak)) void tally_board_write(const void *bytes, size_t size)
{
    (void)bytes;
    (void)size;
}

int tally_port_write(int descriptor, const void *bytes, size_t size)
{
    (void)descriptor;
    tally_board_write(bytes, size);
    return 0;
}

void tally_port_console(const char *line, size_t size)
{
    tally_board_write(line, size);
}

void tally_port_abort(void)
{
    __builtin_trap();
}
