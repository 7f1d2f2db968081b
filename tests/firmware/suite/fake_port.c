/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake_port.c - the bare-metal port, with scripted results of tests
 *
 * The linker redirects calls of the port to here (--wrap). All but the clock
 * and waiting are passed on to it: tests run the port's memory and its masking
 * of interrupts.
 */
#include "tests/fakes/fake_port.h"

#include "ports/bare_metal/machine.h"
#include "tally/port.h"
#include "turns.h"

void *__real_tally_port_pages_alloc(size_t size);
void __real_tally_port_pages_free(void *pages, size_t size);
void __real_tally_port_unguard(uint32_t *guard, uint64_t kept);

static uint64_t requests;
static uint64_t fail_first, fail_last; /* failing requests, from 1; 0: none */
static size_t pages_out;

void fake_port_reset(void)
{
    requests = 0;
    fail_first = fail_last = 0;
    fake_port_set_time_ns(0);
    fake_port_set_may_wait(true);
}

void fake_port_fail_at(uint64_t n)
{
    fail_first = fail_last = n == 0 ? 0 : requests + n;
}

void fake_port_fail_from(uint64_t n)
{
    fail_first = n == 0 ? 0 : requests + n;
    fail_last = UINT64_MAX;
}

uint64_t fake_port_requests(void)
{
    return requests;
}

static size_t whole_pages(size_t size)
{
    return (size + FAKE_PORT_PAGE - 1) / FAKE_PORT_PAGE;
}

size_t fake_port_pages_out(void)
{
    return pages_out;
}

void *__wrap_tally_port_pages_alloc(size_t size)
{
    void *pages = NULL;

    requests++;
    if (fail_first == 0 || requests < fail_first || requests > fail_last)
        pages = __real_tally_port_pages_alloc(size);
    if (pages != NULL)
        pages_out += whole_pages(size);
    return pages;
}

void __wrap_tally_port_pages_free(void *pages, size_t size)
{
    pages_out -= whole_pages(size);
    __real_tally_port_pages_free(pages, size);
}

void __wrap_tally_port_unguard(uint32_t *guard, uint64_t kept)
{
    __real_tally_port_unguard(guard, kept);
    turns_let_others_run();
}

/* Return 1 if interrupts are masked, or 0. */
uint32_t fake_port_lock_depth(void)
{
    uint32_t masked = interrupts_mask();

    interrupts_restore(masked);
    return masked != 0;
}
