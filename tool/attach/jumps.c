/* SPDX-License-Identifier: Apache-2.0 */
/* jumps.c - see jumps.h */
#include "tool/attach/jumps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tool/patch/displaced.h"
#include "tool/session/clock.h"
#include "tool/session/find/process_state.h"

enum {
    PAGE = 4096,
    MOST_STACK = 8 << 20, /* of a thread; what lies behind is not looked at */
    GROWTH = 1 << 20,     /* of the first thread's, since it was looked at */
    PAUSE_NS = 1000000,
};

static uint64_t way_of(const struct patch_plan *plan, uint32_t number)
{
    return plan->entry + number * (uint64_t)PATCH_CODE;
}

/* Whether something that goes on there would go on in the midst of a jump. */
static bool is_covered(const struct patch_plan *plan, uint64_t address)
{
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct patch_entry *entry = &plan->entries[i];

        if (address > entry->at && address - entry->at < entry->covered_size)
            return true;
    }
    return false;
}

/* Where stacks may lie: what the process may write to, as of before it was
   stopped. */
struct ranges {
    struct range {
        uint64_t start, end;
    } * items;
    size_t count, capacity;
};

static bool add_range(struct ranges *ranges, const struct smaps_entry *entry)
{
    if (ranges->count == ranges->capacity) {
        size_t capacity = ranges->capacity == 0 ? 256 : 2 * ranges->capacity;
        struct range *more =
            realloc(ranges->items, capacity * sizeof *ranges->items);

        if (more == NULL)
            return false;
        ranges->items = more;
        ranges->capacity = capacity;
    }
    ranges->items[ranges->count++] = (struct range){ entry->start, entry->end };
    return true;
}

static void read_ranges(pid_t pid, struct ranges *ranges)
{
    struct smaps maps = { .file = process_file(pid, "maps") };
    struct smaps_entry entry;

    *ranges = (struct ranges){ .items = NULL };
    while (maps.file != NULL && smaps_next(&maps, &entry) &&
           (entry.access[1] != 'w' || add_range(ranges, &entry)))
        ;
    smaps_end(&maps);
    if (maps.file != NULL)
        fclose(maps.file);
}

/* The end of what `stack` lies in; the first thread's may have grown. 0: it is
   younger than the ranges. */
static uint64_t find_end(const struct ranges *ranges, uint64_t stack)
{
    for (size_t i = 0; i < ranges->count; i++) {
        if (stack < ranges->items[i].end)
            return stack + GROWTH >= ranges->items[i].start
                       ? ranges->items[i].end
                       : 0;
    }
    return 0;
}

/*
 * A word of a stack that is such an address can only be where a handler returns
 * to, or left over: a call's return address is behind a call, and none is
 * covered.
 */
static bool stack_is_free(const struct tracee *tracee,
                          const struct patch_plan *plan,
                          const struct ranges *ranges, uint64_t stack)
{
    uint64_t words[PAGE / sizeof(uint64_t)];
    uint64_t at = stack / sizeof(uint64_t) * sizeof(uint64_t);
    uint64_t end = find_end(ranges, stack);

    if (end == 0)
        return false;
    if (end > at + MOST_STACK)
        end = at + MOST_STACK;
    while (at < end) {
        size_t size = PAGE - at % PAGE;

        if (!tracee_read(tracee, at, words, size))
            break;
        for (size_t i = 0; i < size / sizeof words[0]; i++) {
            if (is_covered(plan, words[i]))
                return false;
        }
        at += size;
    }
    return true;
}

static bool are_free(const struct tracee *tracee, const struct patch_plan *plan,
                     const struct ranges *ranges)
{
    for (size_t i = 0; i < tracee->count; i++) {
        const struct tracee_thread *thread = &tracee->threads[i];
        struct user_regs_struct registers;

        if (thread->has_ended || !thread->is_stopped)
            continue;
        if (!tracee_get_registers(thread->tid, &registers) ||
            is_covered(plan, registers.rip) ||
            !stack_is_free(tracee, plan, ranges, registers.rsp))
            return false;
    }
    return true;
}

static void make_jump(const struct patch_plan *plan, uint32_t number,
                      uint8_t bytes[PATCH_JUMP])
{
    displaced_write_jump(bytes, plan->entries[number].at, way_of(plan, number));
}

/* Back to what it was, from `count` entries; false: not all of them. */
static bool restore(const struct tracee *tracee, const struct patch_plan *plan,
                    uint32_t count)
{
    bool are_written = true;

    for (uint32_t i = 0; i < count; i++) {
        const struct patch_entry *entry = &plan->entries[i];
        uint8_t jump[PATCH_JUMP], found[PATCH_JUMP];

        if (entry->covered_size == 0)
            continue;
        make_jump(plan, i, jump);
        if (tracee_read(tracee, entry->at, found, sizeof found) &&
            memcmp(found, jump, sizeof jump) == 0)
            are_written &=
                tracee_write(tracee, entry->at, entry->covered, sizeof found);
    }
    return are_written;
}

static bool write_all(const struct tracee *tracee,
                      const struct patch_plan *plan)
{
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct patch_entry *entry = &plan->entries[i];
        uint8_t jump[PATCH_JUMP], found[PATCH_COVERED];

        if (entry->covered_size == 0)
            continue;
        make_jump(plan, i, jump);
        if (!tracee_read(tracee, entry->at, found, entry->covered_size) ||
            memcmp(found, entry->covered, entry->covered_size) != 0 ||
            !tracee_write(tracee, entry->at, jump, sizeof jump)) {
            (void)restore(tracee, plan, i);
            return false;
        }
    }
    return true;
}

static void keep_longest(uint64_t *longest, uint64_t begin)
{
    uint64_t passed = clock_ns(CLOCK_MONOTONIC) - begin;

    if (passed > *longest)
        *longest = passed;
}

int jumps_write(struct tracee *tracee, const struct patch_plan *plan,
                int limit_ms, uint64_t *stopped_ns,
                struct session_failure *failure)
{
    const struct timespec pause = { .tv_nsec = PAUSE_NS };
    uint64_t deadline = tracee_deadline(limit_ms);

    for (;;) {
        bool is_stopped, is_free, is_written;
        struct ranges ranges;
        uint64_t begin;

        read_ranges(tracee->pid, &ranges);
        begin = clock_ns(CLOCK_MONOTONIC);
        is_stopped = tracee_stop_all(tracee, TRACEE_STOP_MS, failure) == 0;
        is_free = is_stopped && are_free(tracee, plan, &ranges);
        is_written = is_free && write_all(tracee, plan);
        tracee_release(tracee);
        keep_longest(stopped_ns, begin);
        free(ranges.items);
        if (is_written)
            return 0;
        if (!is_stopped)
            return -1;
        if (is_free)
            return session_fail(failure,
                                "attach: the entries of the allocator are not "
                                "as in its file: another tool has patched "
                                "them; end that first");
        if (tracee_is_past(deadline))
            return session_fail(failure,
                                "attach: a thread stands all the time where a "
                                "jump must be written; try again");
        nanosleep(&pause, NULL);
    }
}

int jumps_remove(struct tracee *tracee, const struct patch_plan *plan,
                 uint64_t *stopped_ns, struct session_failure *failure)
{
    uint64_t begin = clock_ns(CLOCK_MONOTONIC);
    bool is_written;

    if (tracee_stop_all(tracee, TRACEE_STOP_MS, failure) < 0) {
        tracee_release(tracee);
        return -1;
    }
    is_written = restore(tracee, plan, plan->count);
    tracee_release(tracee);
    keep_longest(stopped_ns, begin);
    return is_written ? 0
                      : session_fail(failure, "attach: the program's code "
                                              "cannot be written to; its calls "
                                              "go on through the recorder");
}
