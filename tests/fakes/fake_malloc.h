/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake_malloc.h - a counted malloc of one thread, as in limits_thread.h
 *
 * allocate() checks limits only when due and counts its bytes as live;
 * release() subtracts them. Include after <cmocka.h>; TEST(name) begins each
 * test with a fresh thread.
 */
#pragma once

#include <string.h>

#include "sampling/limits/limits_live.h"
#include "sampling/limits/limits_thread.h"
#include "tests/fakes/fake_port.h"

static struct limits_thread thread;
static uint64_t due_at;
static unsigned visits;
static bool begins_sampled;

static inline void arm(void)
{
    uint64_t distance = limits_thread_distance(&thread);

    due_at = distance < UINT64_MAX - thread.allocated
                 ? thread.allocated + distance
                 : UINT64_MAX;
}

/* Return true if there is a block. */
static inline bool allocate(uint64_t size)
{
    bool is_due = due_at - thread.allocated <= size ||
                  (thread.polled != NULL && *thread.polled != 0);

    if (is_due) {
        visits++;
        if (!limits_thread_admits(&thread, size, 0)) {
            arm();
            return false;
        }
    }
    thread.allocated += size;
    limits_live_add(thread.live, (int64_t)size);
    if (is_due || limits_live_bytes(thread.live) > thread.live_due ||
        limits_live_is_nearer(thread.nearness)) {
        limits_thread_update(&thread);
        arm();
    }
    return true;
}

static inline void release(uint64_t size)
{
    limits_live_add(thread.live, -(int64_t)size);
}

static inline void begin(struct limit_scope *scope, struct limit_wanted wanted)
{
    assert_int_equal(
        limits_thread_begin(&thread, scope, &wanted, begins_sampled), 0);
    arm();
}

static inline void begin_bytes(struct limit_scope *scope, uint64_t bytes,
                               enum limit_action action)
{
    begin(scope, (struct limit_wanted){ .kind = LIMIT_ALLOCATION,
                                        .action = action,
                                        .bytes = bytes });
}

static inline void begin_token(struct limit_scope *scope,
                               const struct limit_token *token,
                               enum limit_action action)
{
    begin(scope, (struct limit_wanted){
                     .kind = LIMIT_TOKEN, .action = action, .token = token });
}

static inline void begin_global(struct limit_scope *scope,
                                enum limit_action action)
{
    begin(scope,
          (struct limit_wanted){ .kind = LIMIT_GLOBAL, .action = action });
}

static inline void begin_sampled(struct limit_scope *scope, uint64_t bytes,
                                 enum limit_action action)
{
    begins_sampled = true;
    begin_bytes(scope, bytes, action);
    begins_sampled = false;
}

static inline int end(struct limit_scope *scope, uint64_t *bytes)
{
    int hit = limits_thread_end(&thread, scope, bytes);

    arm();
    return hit;
}

static inline bool is_interrupted(void)
{
    return limits_thread_is_interrupted(&thread, 0);
}

static inline bool sample(uint64_t samples, uint64_t period)
{
    bool may_be = limits_thread_sample(&thread, samples, period);

    arm();
    return may_be;
}

static inline void mask(int change)
{
    thread.masks += (uint32_t)change;
    arm();
}

static inline int fresh(void **state)
{
    (void)state;
    memset(&thread, 0, sizeof thread);
    fake_port_reset();
    memset(&limits_live, 0, sizeof limits_live);
    limits_live_limit(-1);
    thread.live = limits_live_take();
    thread.allocated = 12345;
    visits = 0;
    arm();
    return 0;
}

#define TEST(name) cmocka_unit_test_setup(name, fresh)
