/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake_port.h - tally/port.h under control of a test
 *
 * The clock stands still until it is set, and pages run out on command. Each
 * piece of pages ends at inaccessible memory, so that a write after it is
 * caught at once.
 *
 *     fake_port_reset();
 *     fake_port_fail_at(2);
 *     one = tally_port_pages_alloc(4096);
 *     two = tally_port_pages_alloc(4096);      NULL
 *     three = tally_port_pages_alloc(4096);    works again
 *
 * Breaking the contract of port.h (freeing pages twice or with another size, an
 * unlock that does not match its lock) aborts the test program.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FAKE_PORT_PAGE = 4096 };

/* Reset to the start: time 0, unlimited pages. Live pages are unmapped. */
void fake_port_reset(void);

void fake_port_set_time_ns(uint64_t time_ns);

/*
 * Fail the n-th request for pages from now on, from 1: only that one, or all
 * from it on. 0: none. A later call replaces an earlier one.
 */
void fake_port_fail_at(uint64_t n);
void fake_port_fail_from(uint64_t n);

/* Return the requests for pages since the reset, refused ones included. */
uint64_t fake_port_requests(void);

/* Return the live pages of 4,096 bytes. */
size_t fake_port_pages_out(void);

/* Call `act` once when pages are forgotten next; NULL: nothing. */
void fake_port_at_forget(void (*act)(void));

/* Set the value of every environment variable, initially NULL. */
void fake_port_set_environment(const char *value);

/* Set the shared object of every address; NULL (initially): none. */
void fake_port_set_module(const char *name);

/* Set the result of writing to a descriptor; 0: it succeeds. */
void fake_port_fail_writes(int error);

/* Return the console output since the reset. */
const char *fake_port_console(void);

/* Set if callers may wait; initially true. */
void fake_port_set_may_wait(bool may_wait);

/*
 * Return the threads asleep in tally_port_wait(). They wake up when they are
 * woken, or when the clock is set to the end of their wait.
 */
unsigned fake_port_sleepers(void);

/* Wait until `count` threads sleep; fail after a minute. */
void fake_port_await_sleepers(unsigned count);

/* Set the regions of the platform; the caller owns them. Set the threads whose
   stacks cannot be found. */
struct tally_port_region;
void fake_port_set_regions(const struct tally_port_region *regions,
                           size_t count);
void fake_port_hide_stacks(uint32_t count);

/* Set the live bytes reported by libc's malloc, initially 0. */
void fake_port_set_heap_held(int64_t bytes);

/* Return the nesting depth of the lock. */
uint32_t fake_port_lock_depth(void);
