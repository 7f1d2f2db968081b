/* SPDX-License-Identifier: Apache-2.0 */
/* limits_live.c - what the process holds */
#include "core/limits_live.h"

#include <stddef.h>

#include "port/words.h"

struct limits_live limits_live = { .limit = (uint64_t)-1 };

void limits_live_count(int64_t base)
{
    if (limits_live_is_counted())
        return;
    words_store_figure(&limits_live.base, (uint64_t)base);
    __atomic_store_n(&limits_live.is_counted, 1, __ATOMIC_RELEASE);
}

void limits_live_limit(int64_t live_bytes)
{
    words_store_figure(&limits_live.limit, (uint64_t)live_bytes);
}

void limits_live_enter(struct limits_thread *thread)
{
    struct limits_thread *first =
        __atomic_load_n(&limits_live.first, __ATOMIC_ACQUIRE);

    if (__atomic_exchange_n(&thread->is_listed, 1, __ATOMIC_ACQ_REL) != 0)
        return;
    do {
        thread->next = first;
    } while (!__atomic_compare_exchange_n(&limits_live.first, &first, thread,
                                          false, __ATOMIC_ACQ_REL,
                                          __ATOMIC_ACQUIRE));
}

int64_t limits_live_read(void)
{
    uint64_t sum = words_load_figure(&limits_live.base);
    const struct limits_thread *thread =
        __atomic_load_n(&limits_live.first, __ATOMIC_ACQUIRE);

    for (; thread != NULL; thread = thread->next)
        sum += words_load_figure((const uint64_t *)&thread->live);
    return (int64_t)sum;
}

int64_t limits_live_room(void)
{
    int64_t limit = (int64_t)words_load_figure(&limits_live.limit);
    int64_t room;

    if (limit < 0)
        return INT64_MAX;
    return __builtin_sub_overflow(limit, limits_live_read(), &room) ? INT64_MAX
                                                                    : room;
}

bool limits_live_admits(uint64_t size)
{
    int64_t room = limits_live_room();

    return room == INT64_MAX || (room >= 0 && size <= (uint64_t)room);
}
