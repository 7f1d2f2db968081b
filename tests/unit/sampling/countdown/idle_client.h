/* SPDX-License-Identifier: Apache-2.0 */
/* idle_client.h - a client of the countdown that allows everything */
#pragma once

#include "sampling/countdown/countdown.h"

/* Amounts, or bytes, until its next event. */
static uint64_t idle_distance = COUNTDOWN_NEVER;

static void idle_follow(struct counted_thread *thread)
{
    (void)thread;
}

static uint64_t idle_distance_now(struct counted_thread *thread)
{
    (void)thread;
    return idle_distance;
}

static bool idle_count(struct counted_thread *thread,
                       const struct counted_block *counted)
{
    (void)thread;
    (void)counted;
    return true;
}

#define IDLE_CLIENT \
    .follow = idle_follow, .distance = idle_distance_now, .count = idle_count
