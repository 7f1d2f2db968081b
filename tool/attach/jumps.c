/* SPDX-License-Identifier: Apache-2.0 */
/* jumps.c - see jumps.h */
#include "tool/attach/jumps.h"

#include <string.h>

#include "tool/attach/standstill.h"
#include "tool/patch/displaced.h"

static uint64_t way_of(const struct patch_plan *plan, uint32_t number)
{
    return plan->ways[plan->entries[number].is_far != 0] +
           number * (uint64_t)PATCH_CODE;
}

enum { PAGES = 4096 };

/* Most words of a stack are known by their page not to be covered. */
struct covering {
    const struct patch_plan *plan;
    bool has_page[PAGES]; /* by the end of its number */
};

static uint64_t page_of(uint64_t address)
{
    return address / 4096 % PAGES;
}

/* Whether something that goes on there would go on in the midst of a jump. */
static bool is_covered(uint64_t address, const void *context)
{
    const struct covering *covering = context;
    const struct patch_plan *plan = covering->plan;

    if (!covering->has_page[page_of(address)])
        return false;
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct patch_entry *entry = &plan->entries[i];

        if (address > entry->at && address - entry->at < entry->covered_size)
            return true;
    }
    return false;
}

/*
 * A word of a stack that is such an address can only be where a handler returns
 * to, or left over: a call's return address is behind a call, and none is
 * covered.
 */
static bool are_free(const struct stack_words *words,
                     const struct patch_plan *plan)
{
    struct covering covering = { .plan = plan };

    for (uint32_t i = 0; i < plan->count; i++) {
        const struct patch_entry *entry = &plan->entries[i];

        covering.has_page[page_of(entry->at)] = true;
        covering.has_page[page_of(entry->at + entry->covered_size)] = true;
    }
    for (size_t i = 0; i < words->tracee->count; i++) {
        if (stack_words_may_have(words, &words->tracee->threads[i], is_covered,
                                 &covering))
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

static enum standstill try_to_write(const struct stack_words *words,
                                    void *context)
{
    if (!are_free(words, context))
        return STANDSTILL_AGAIN;
    return write_all(words->tracee, context) ? STANDSTILL_DONE
                                             : STANDSTILL_REFUSED;
}

int jumps_write(struct tracee *tracee, struct patch_plan *plan, int limit_ms,
                uint64_t *stopped_ns)
{
    static const struct standstill_why why = {
        .refused = "the entries of the allocator are not as in its file: "
                   "another tool has patched them; end that first",
        .again = "a thread stands all the time where a jump must be written; "
                 "try again",
    };

    return standstill(tracee, limit_ms, try_to_write, plan, &why, stopped_ns);
}

static enum standstill try_to_remove(const struct stack_words *words,
                                     void *context)
{
    const struct patch_plan *plan = context;

    return restore(words->tracee, plan, plan->count) ? STANDSTILL_DONE
                                                     : STANDSTILL_REFUSED;
}

int jumps_remove(struct tracee *tracee, struct patch_plan *plan, int limit_ms,
                 uint64_t *stopped_ns)
{
    static const struct standstill_why why = {
        .refused = "the program's code cannot be written to; try again",
    };

    return standstill(tracee, limit_ms, try_to_remove, plan, &why, stopped_ns);
}
