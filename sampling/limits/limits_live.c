/* SPDX-License-Identifier: Apache-2.0 */
/* limits_live.c - live bytes of the process; see limits_live.h */
#include "sampling/limits/limits_live.h"

#include <stddef.h>

#include "core/base/own_memory.h"
#include "sampling/countdown/countdown.h"

/* Largest step of a thread between checks, in bytes. */
enum { STEP_MAX = 65536 };

enum { PAGE = 4096, NUMBERS = PAGE / sizeof(struct limits_live_number) };

struct limits_live limits_live = { .limit = -1 };

void limits_live_count(int64_t base)
{
    if (limits_live_is_counted())
        return;
    __atomic_store_n(&limits_live.base, base, __ATOMIC_RELAXED);
    __atomic_store_n(&limits_live.is_counted, 1, __ATOMIC_RELEASE);
}

static void tell(int64_t limit, int64_t held)
{
    if (countdown_carrier.holds != NULL)
        countdown_carrier.holds(limit < 0 ? 0 : (uint64_t)limit,
                                held < 0 ? 0 : (uint64_t)held);
}

void limits_live_limit(int64_t live_bytes)
{
    __atomic_store_n(&limits_live.limit, live_bytes, __ATOMIC_RELAXED);
    tell(live_bytes, limits_live_read());
}

static struct limits_live_number *first(void)
{
    return __atomic_load_n(&limits_live.first, __ATOMIC_ACQUIRE);
}

static bool is_taken(struct limits_live_number *number)
{
    return __atomic_load_n(&number->is_taken, __ATOMIC_RELAXED) != 0 ||
           __atomic_exchange_n(&number->is_taken, 1, __ATOMIC_ACQUIRE) != 0;
}

static void enter(struct limits_live_number *number)
{
    struct limits_live_number *head = first();

    do {
        number->next = head;
    } while (!__atomic_compare_exchange_n(&limits_live.first, &head, number,
                                          false, __ATOMIC_ACQ_REL,
                                          __ATOMIC_ACQUIRE));
}

struct limits_live_number *limits_live_take(void)
{
    static struct own_memory own = OWN_MEMORY;
    struct limits_live_number *number = first();

    while (number != NULL && is_taken(number))
        number = number->next;
    __atomic_fetch_add(&limits_live.taken, 1, __ATOMIC_RELAXED);
    if (number != NULL)
        return number;
    number = own_memory_alloc(&own, PAGE);
    if (number == NULL)
        return &limits_live.shared;
    number->is_taken = 1;
    for (unsigned i = 0; i < NUMBERS; i++)
        enter(&number[i]);
    return number;
}

void limits_live_give(struct limits_live_number *number)
{
    __atomic_fetch_sub(&limits_live.taken, 1, __ATOMIC_RELAXED);
    if (number != &limits_live.shared)
        __atomic_store_n(&number->is_taken, 0, __ATOMIC_RELEASE);
}

void limits_live_alone(struct limits_live_number *own)
{
    for (struct limits_live_number *number = first(); number != NULL;
         number = number->next)
        __atomic_store_n(&number->is_taken, number == own, __ATOMIC_RELEASE);
    __atomic_store_n(&limits_live.taken, own != NULL, __ATOMIC_RELAXED);
}

int64_t limits_live_read(void)
{
    int64_t sum = __atomic_load_n(&limits_live.base, __ATOMIC_RELAXED) +
                  limits_live_bytes(&limits_live.shared);

    for (const struct limits_live_number *number = first(); number != NULL;
         number = number->next)
        sum += limits_live_bytes(number);
    return sum;
}

int64_t limits_live_room(void)
{
    int64_t limit = __atomic_load_n(&limits_live.limit, __ATOMIC_RELAXED);
    int64_t room, held;

    if (limit < 0)
        return INT64_MAX;
    held = limits_live_read();
    tell(limit, held);
    if (__builtin_sub_overflow(limit, held, &room))
        return INT64_MAX;
    __atomic_store_n(&limits_live.nearness, limits_live_nearness(room),
                     __ATOMIC_RELAXED);
    return room;
}

uint64_t limits_live_step(int64_t room)
{
    uint32_t threads = __atomic_load_n(&limits_live.taken, __ATOMIC_RELAXED);
    uint64_t step = room > 0 ? limits_live_within((uint64_t)room) /
                                   (threads + (threads == 0))
                             : 0;

    return step < STEP_MAX ? step : STEP_MAX;
}

bool limits_live_admits(uint64_t size)
{
    int64_t room = limits_live_room();

    return room == INT64_MAX || (room >= 0 && size <= (uint64_t)room);
}
