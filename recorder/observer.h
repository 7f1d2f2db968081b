/* SPDX-License-Identifier: Apache-2.0 */
/*
 * observer.h - parts that look at each call of the malloc family
 *
 * An observer NAME is one file and one row of OBSERVERS. It defines
 *
 *     bool observe_NAME_is_on(void)
 *         Return true if it wants calls now. Each change calls mode_choose().
 *     bool observe_NAME_begin(const struct mem_trace_event *call,
 *                             int64_t *kept)
 *         Called before the allocator, with a call without its result; `kept`
 *         is for observe_NAME_end(). Return true if that should be called.
 *     void observe_NAME_end(const struct mem_trace_event *call, int64_t kept)
 *         Called after it; NULL: an attempt of operator new that may be
 *         repeated.
 *
 * in any thread and signal handler, and allocates nothing. A part that looks at
 * some blocks only is a client of countdown.h instead.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "format/text/mem_trace_text.h"
#include "ledger/export.h"
#include "ledger/space/process.h"

/* in the order of their calls */
#define OBSERVERS(X) X(live_bytes) X(events) X(mem_trace)

#define OBSERVER_ENUM(name) OBSERVER_##name,
enum observer { OBSERVERS(OBSERVER_ENUM) OBSERVER_COUNT };

#define OBSERVER_DECLARE(name)                                      \
    bool observe_##name##_is_on(void);                              \
    bool observe_##name##_begin(const struct mem_trace_event *call, \
                                int64_t *kept);                     \
    void observe_##name##_end(const struct mem_trace_event *call, int64_t kept);
OBSERVERS(OBSERVER_DECLARE)

#define OBSERVER_BIT(name) (UINT32_C(1) << OBSERVER_##name)

/* Return the observers that are on, a bit for each. */
static inline uint32_t observers_find(void)
{
    uint32_t found = 0;

#define OBSERVER_FIND(name) \
    found |= observe_##name##_is_on() ? OBSERVER_BIT(name) : 0;
    OBSERVERS(OBSERVER_FIND)
    return found;
}

static inline void *observed_pointer(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

/* state of one observed call */
struct observation {
    struct mem_trace_event call;
    uint32_t begun; /* observers whose end must be called */
    int64_t kept[OBSERVER_COUNT];
};

static inline uint32_t observers_now(void)
{
    return __atomic_load_n(&process.observers, __ATOMIC_RELAXED);
}

static inline void observation_begin(struct observation *observation,
                                     uint32_t wanted)
{
    observation->begun = 0;
#define OBSERVER_BEGIN(name)                                         \
    if ((wanted & OBSERVER_BIT(name)) != 0 &&                        \
        observe_##name##_begin(&observation->call,                   \
                               &observation->kept[OBSERVER_##name])) \
        observation->begun |= OBSERVER_BIT(name);
    OBSERVERS(OBSERVER_BEGIN)
}

static inline void observation_end(const struct observation *observation,
                                   const struct mem_trace_event *call)
{
#define OBSERVER_END(name)                              \
    if ((observation->begun & OBSERVER_BIT(name)) != 0) \
        observe_##name##_end(call, observation->kept[OBSERVER_##name]);
    OBSERVERS(OBSERVER_END)
}
