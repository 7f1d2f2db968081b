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

/* Pages decide for most words of a stack that no jump covers them. */
struct covering {
    const struct patch_plan *plan;
    bool has_page[PAGES]; /* by the end of its number */
};

static uint64_t page_of(uint64_t address)
{
    return address / 4096 % PAGES;
}

/* Return true if code that goes on there would go on inside a jump. */
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

static void list_jumps(const struct patch_plan *plan, struct jump_list *list)
{
    list->count = 0;
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct patch_entry *entry = &plan->entries[i];
        struct jump *jump = &list->jumps[list->count];

        if (entry->covered_size == 0)
            continue;
        jump->at = entry->at;
        displaced_write_jump(jump->bytes, entry->at, way_of(plan, i));
        memcpy(jump->before, entry->covered, sizeof jump->before);
        list->count++;
    }
}

static bool stands(const struct tracee *tracee, const struct jump *jump)
{
    uint8_t found[PATCH_JUMP];

    return tracee_read(tracee, jump->at, found, sizeof found) &&
           memcmp(found, jump->bytes, sizeof found) == 0;
}

bool jumps_stand(const struct tracee *tracee, const struct jump_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        if (stands(tracee, &list->jumps[i]))
            return true;
    }
    return false;
}

/* False: not all of them. */
static bool restore(const struct tracee *tracee, const struct jump_list *list)
{
    bool are_written = true;

    for (size_t i = 0; i < list->count; i++) {
        const struct jump *jump = &list->jumps[i];

        if (stands(tracee, jump))
            are_written &= tracee_write(tracee, jump->at, jump->before,
                                        sizeof jump->before);
    }
    return are_written;
}

static bool is_as_planned(const struct tracee *tracee,
                          const struct patch_plan *plan)
{
    uint8_t found[PATCH_COVERED];

    for (uint32_t i = 0; i < plan->count; i++) {
        const struct patch_entry *entry = &plan->entries[i];

        if (entry->covered_size != 0 &&
            (!tracee_read(tracee, entry->at, found, entry->covered_size) ||
             memcmp(found, entry->covered, entry->covered_size) != 0))
            return false;
    }
    return true;
}

static bool write_all(const struct tracee *tracee,
                      const struct patch_plan *plan,
                      const struct jump_list *list)
{
    bool are_written = is_as_planned(tracee, plan);

    for (size_t i = 0; i < list->count && are_written; i++)
        are_written = tracee_write(tracee, list->jumps[i].at,
                                   list->jumps[i].bytes, PATCH_JUMP);
    if (!are_written)
        (void)restore(tracee, list);
    return are_written;
}

struct writing {
    struct patch_plan *plan;
    struct jump_list *list;
};

static enum standstill try_to_write(const struct stack_words *words,
                                    void *context)
{
    const struct writing *writing = context;

    if (!are_free(words, writing->plan))
        return STANDSTILL_AGAIN;
    return write_all(words->tracee, writing->plan, writing->list)
               ? STANDSTILL_DONE
               : STANDSTILL_REFUSED;
}

int jumps_write(struct tracee *tracee, struct patch_plan *plan,
                struct jump_list *list, int limit_ms, uint64_t *stopped_ns)
{
    static const struct standstill_why why = {
        .refused = "the entries of the allocator are not as in its file: "
                   "another tool has patched them; end that first",
        .again = "a thread stands all the time where a jump must be written; "
                 "try again",
    };

    list_jumps(plan, list);
    return standstill(tracee, limit_ms, try_to_write,
                      &(struct writing){ plan, list }, &why, stopped_ns);
}

static enum standstill try_to_remove(const struct stack_words *words,
                                     void *context)
{
    return restore(words->tracee, context) ? STANDSTILL_DONE
                                           : STANDSTILL_REFUSED;
}

int jumps_remove(struct tracee *tracee, struct jump_list *list, int limit_ms,
                 uint64_t *stopped_ns)
{
    static const struct standstill_why why = {
        .refused = "the program's code cannot be written to; try again",
    };

    return !jumps_stand(tracee, list) /* another command was faster */
               ? 0
               : standstill(tracee, limit_ms, try_to_remove, list, &why,
                            stopped_ns);
}
