/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake_port.h - tally/port.h as a test wants it
 *
 * A clock that stands still until it is set, and pages
 * that run out when told to. Each piece of pages ends where memory that cannot
 * be touched begins, so that a write behind it is caught at once.
 *
 *     fake_port_reset();
 *     fake_port_fail_at(2);
 *     one = tally_port_pages_alloc(4096);
 *     two = tally_port_pages_alloc(4096);      NULL
 *     three = tally_port_pages_alloc(4096);    works again
 *
 * Who breaks the contract of port.h (pages given back twice or with another
 * size, an unlock that does not match its lock) aborts the test program.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FAKE_PORT_PAGE = 4096 };

/*
 * As at the start: time 0, pages without end. Pages still out are gone: they
 * may not be used any more.
 */
void fake_port_reset(void);

void fake_port_set_time_ns(uint64_t time_ns);

/*
 * The n-th request for pages from now on fails, from 1: that one alone, or with
 * all that follow. 0: none. Each takes the place of the other.
 */
void fake_port_fail_at(uint64_t n);
void fake_port_fail_from(uint64_t n);

/* Requests for pages since the reset, refused ones included. */
uint64_t fake_port_requests(void);

/* Pages of 4,096 bytes that have not been given back. */
size_t fake_port_pages_out(void);

/* What another thread does when pages are next forgotten, once; NULL:
   nothing. */
void fake_port_at_forget(void (*act)(void));

/* What every variable of the environment has, at first NULL. */
void fake_port_set_environment(const char *value);

/* The shared object that every address lies in; NULL, as at first: none. */
void fake_port_set_module(const char *name);

/* What writing to a descriptor returns from now on; 0: it writes. */
void fake_port_fail_writes(int error);

/* What was written to the console since the reset. */
const char *fake_port_console(void);

/* Whether callers may wait; true at first. */
void fake_port_set_may_wait(bool may_wait);

/*
 * Threads asleep in tally_port_wait(). They wake when they are told to, or when
 * the clock is set to what they wait for.
 */
unsigned fake_port_sleepers(void);

/* Return when so many are; a test that waits for longer than a minute fails. */
void fake_port_await_sleepers(unsigned count);

/* The stacks and heaps that there are from now on; the caller's to keep. */
struct tally_port_stack;
struct tally_port_heap;
void fake_port_set_stacks(const struct tally_port_stack *stacks, size_t count);
void fake_port_hide_stacks(uint32_t count);
void fake_port_set_heaps(const struct tally_port_heap *heaps, size_t count);

/* What libc's malloc says that it has handed out, at first 0. */
void fake_port_set_heap_held(int64_t bytes);

/* How deep the lock is nested now. */
uint32_t fake_port_lock_depth(void);
