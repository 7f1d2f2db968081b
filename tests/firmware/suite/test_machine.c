/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_machine.c - the lock, the clock and the debugger of each machine
 *
 * The state of the processor is read here, not by machine.h.
 */
#include <cmocka.h>
#include <stdbool.h>

#include "tally/bare_metal.h"
#include "tally/port.h"

/* The clock behind the one that fake_port.c scripts. */
uint64_t __real_tally_port_time_ns(void);

static bool is_masked(void)
{
    uint32_t state;

#if defined __riscv
    __asm volatile("csrr %0, mstatus" : "=r"(state));
    return (state & 0x8) == 0;
#elif __ARM_ARCH_PROFILE == 'R'
    __asm volatile("mrs %0, cpsr" : "=r"(state));
    return (state & 0x80) != 0;
#else
    __asm volatile("mrs %0, primask" : "=r"(state));
    return (state & 0x1) != 0;
#endif
}

static void locks_nest(void **state)
{
    uint32_t outer, inner;

    (void)state;
    assert_false(is_masked());
    outer = tally_port_lock();
    assert_true(is_masked());
    inner = tally_port_lock();
    tally_port_unlock(inner);
    assert_true(is_masked());
    tally_port_unlock(outer);
    assert_false(is_masked());
}

#ifdef __riscv
#define SOFTWARE_INTERRUPT \
    (*(volatile uint32_t *)0x2000000) /* of QEMU's virt */

static volatile unsigned handled;

__attribute__((interrupt, aligned(4))) static void on_interrupt(void)
{
    SOFTWARE_INTERRUPT = 0;
    handled++;
}

static void an_interrupt_waits_for_the_lock(void **state)
{
    uint32_t key;

    (void)state;
    __asm volatile("csrw mtvec, %0" ::"r"(on_interrupt));
    __asm volatile("csrs mie, %0" ::"r"(0x8));
    key = tally_port_lock();
    SOFTWARE_INTERRUPT = 1;
    for (volatile unsigned i = 0; i < 1000; i++)
        ;
    assert_int_equal(handled, 0);
    tally_port_unlock(key);
    for (volatile unsigned i = 0; i < 1000; i++)
        ;
    assert_int_equal(handled, 1);
}
#endif

/* Interrupts stay masked: the suite has no handler for SysTick. */
static void the_clock_goes_on(void **state)
{
    uint64_t first, last;

    (void)state;
    (void)tally_port_lock();
    assert_int_equal(__real_tally_port_time_ns(), 0);
    tally_clock_start(100000000);
    first = last = __real_tally_port_time_ns();
    for (unsigned i = 0; i < 1000 || last == first; i++) {
        uint64_t now = __real_tally_port_time_ns();

        assert_true(now >= last);
        last = now;
    }
}

static void a_debugger_takes_packets(void **state)
{
    const struct tally_zpl_sink sink = tally_semihosting_sink(":tt");

    (void)state;
    assert_true(sink.write(sink.context, "a packet\n", 9));
    assert_true(sink.write(sink.context, "and another\n", 12));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(locks_nest),
#ifdef __riscv
        cmocka_unit_test(an_interrupt_waits_for_the_lock),
#endif
        cmocka_unit_test(the_clock_goes_on),
        cmocka_unit_test(a_debugger_takes_packets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
