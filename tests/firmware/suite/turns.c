/* SPDX-License-Identifier: Apache-2.0 */
/* turns.c - threads that take turns, and wait by a clock that tests set */
#include "turns.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "ports/bare_metal/machine.h"
#include "suite_board.h"
#include "tally/port.h"
#include "tally/thread.h"
#include "tests/fakes/fake_port.h"

#ifdef __riscv
#define CALL_ON_STACK "mv sp, %0\n\tjalr %1"
#else
#define CALL_ON_STACK "mov sp, %0\n\tblx %1"
#endif

enum { TURNS = 40, STACK = 4096 };

struct turn {
    jmp_buf where;
    bool is_taken, has_begun, is_over;
    const uint32_t *word; /* sleeps while this is `value`; NULL: awake */
    uint32_t value;
    uint64_t until_ns;
    void *(*start)(void *argument);
    void *argument;
    void *result;
    struct tally_thread thread;
    _Alignas(16) unsigned char stack[STACK];
};

static struct turn turns[TURNS]; /* the first is main's, on its own stack */
static struct turn *current = turns;
static uint64_t now_ns;
static unsigned sleepers;
static bool callers_may_wait = true;

static bool is_asleep(const struct turn *turn)
{
    return turn->word != NULL && *turn->word == turn->value &&
           now_ns < turn->until_ns;
}

static bool can_run(const struct turn *turn)
{
    return turn == turns || (turn->is_taken && !turn->is_over);
}

/* Return the next thread after `current` that can run and does not sleep, or
   NULL. */
static struct turn *next_turn(void)
{
    size_t at = (size_t)(current - turns);

    for (size_t i = 1; i < TURNS; i++) {
        struct turn *turn = &turns[(at + i) % TURNS];

        if (can_run(turn) && !is_asleep(turn))
            return turn;
    }
    return NULL;
}

static void begin(void)
{
    current->has_begun = true;
    current->result = current->start(current->argument);
    current->is_over = true;
    current = turns; /* its creator, or the thread that joins it, is there */
    longjmp(current->where, 1);
}

static _Noreturn void begin_on_its_stack(void)
{
    unsigned char *end = current->stack + STACK;

    __asm volatile(CALL_ON_STACK ::"r"(end), "r"(begin));
    __builtin_unreachable();
}

static void switch_to(struct turn *turn)
{
    struct turn *from = current;

    if (setjmp(from->where) != 0)
        return;
    current = turn;
    if (turn != turns && !turn->has_begun)
        begin_on_its_stack();
    longjmp(turn->where, 1);
}

/* Run another thread. If none can run, the test hangs. */
static void give_turn(void)
{
    struct turn *turn = next_turn();

    if (turn == NULL)
        suite_board_give_up("all threads wait for each other");
    switch_to(turn);
}

void turns_let_others_run(void)
{
    uint32_t masked = interrupts_mask();
    struct turn *turn;

    interrupts_restore(masked);
    if (masked != 0 || current != turns)
        return;
    while ((turn = next_turn()) != NULL)
        switch_to(turn);
}

void turns_end_all(void)
{
    for (size_t i = 1; i < TURNS; i++)
        turns[i].is_taken = false;
    sleepers = 0;
}

int pthread_create(pthread_t *thread, const void *attributes,
                   void *(*start)(void *argument), void *argument)
{
    size_t i = 1;

    (void)attributes;
    while (i < TURNS && turns[i].is_taken)
        i++;
    if (i == TURNS)
        suite_board_give_up("more threads than there is room for");
    *thread = &turns[i];
    memset(&turns[i], 0, offsetof(struct turn, stack));
    turns[i].is_taken = true;
    turns[i].start = start;
    turns[i].argument = argument;
    return 0;
}

int pthread_join(pthread_t thread, void **result)
{
    while (!thread->is_over)
        give_turn();
    thread->is_taken = false;
    if (result != NULL)
        *result = thread->result;
    return 0;
}

void fake_port_set_time_ns(uint64_t time_ns)
{
    if (time_ns < now_ns)
        tally_time_restarts();
    now_ns = time_ns;
    turns_let_others_run();
}

void fake_port_set_may_wait(bool may_wait)
{
    callers_may_wait = may_wait;
}

unsigned fake_port_sleepers(void)
{
    return sleepers;
}

void fake_port_await_sleepers(unsigned count)
{
    while (sleepers != count)
        give_turn();
}

uint64_t __wrap_tally_port_time_ns(void)
{
    return now_ns;
}

bool __wrap_tally_port_may_wait(void)
{
    return callers_may_wait;
}

void __wrap_tally_port_wait(const uint32_t *word, uint32_t value,
                            uint64_t until_ns)
{
    current->word = word;
    current->value = value;
    current->until_ns = until_ns;
    sleepers++;
    while (is_asleep(current))
        give_turn();
    sleepers--;
    current->word = NULL;
}

struct tally_thread *__wrap_tally_port_thread(void)
{
    return &current->thread;
}
