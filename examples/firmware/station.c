/* SPDX-License-Identifier: Apache-2.0 */
/*
 * station.c - a weather station: its sensor interrupts, its main loop reports
 *
 * Who holds which memory is printed as Linux prints it, first with readings and
 * alarms waiting to be sent, then when they were. reading_new() is a helper, so
 * its callers are charged; a list keeps the tag of the one who made it.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "board.h"
#include "tally/alloc_tag.h"
#include "tally/allocinfo.h"
#include "tally/bare_metal.h"
#include "tally/malloc.h"

enum { SAMPLES = 5, HISTORY = 48 };

struct reading {
    struct reading *next;
    uint32_t value;
    uint8_t history[];
};

/* Blocks that a list itself needs are charged to who made the list. */
struct list {
    struct reading *first;
    uint32_t *summary;
    struct alloc_tag *tag;
};

static struct reading *volatile sampled; /* by the interrupt */
static volatile unsigned sample_count;

static struct reading *reading_new_noprof(uint32_t value, size_t history)
{
    struct reading *reading = malloc_noprof(sizeof *reading + history);

    if (reading != NULL)
        *reading = (struct reading){ .value = value };
    return reading;
}

#define reading_new(...) alloc_hooks(reading_new_noprof(__VA_ARGS__))

static void list_init_noprof(struct list *list)
{
    *list = (struct list){ 0 };
    alloc_tag_record(list->tag);
}

#define list_init(list) alloc_hooks(list_init_noprof(list))

static void list_add(struct list *list, struct reading *reading)
{
    if (list->summary == NULL)
        list->summary =
            alloc_hooks_tag(list->tag, malloc_noprof(16 * sizeof(uint32_t)));
    reading->next = list->first;
    list->first = reading;
}

static void list_clear(struct list *list)
{
    while (list->first != NULL) {
        struct reading *reading = list->first;

        list->first = reading->next;
        free(reading);
    }
    free(list->summary);
    list->summary = NULL;
}

/* The sensor: an interrupt every 10 ms allocates. */
void board_on_tick(void)
{
    struct reading *reading;

    if (sample_count == SAMPLES)
        return;
    reading = reading_new(20 + sample_count, 0);
    if (reading == NULL)
        return;
    reading->next = sampled;
    sampled = reading;
    sample_count++;
}

static int print(const char *text, size_t size, void *context)
{
    (void)context;
    tally_board_write(text, size);
    return 0;
}

/* The program's own rows; what Tally holds has "[tally]". */
static void print_accounts(const char *when)
{
    const struct allocinfo_options options = {
        .wanted = ALLOCINFO_WANT_MODULE,
        .module = "",
    };

    board_print(when);
    board_print("\n");
    (void)allocinfo_write_to(print, NULL, &options);
}

static int is_zero(struct alloc_tag *tag, void *context)
{
    struct alloc_tag_counters counters = alloc_tag_read(tag);

    (void)context;
    if ((tag->flags & ALLOC_TAG_OWN) != 0)
        return 0;
    return counters.bytes != 0 || counters.calls != 0;
}

int main(void)
{
    struct list readings, alarms;
    struct sys_memory_stats stats;

    list_init(&readings);
    list_init(&alarms);
    while (sample_count < SAMPLES)
        ;
    while (sampled != NULL) {
        struct reading *reading = sampled;

        sampled = reading->next;
        if (reading->value >= 23)
            list_add(&alarms, reading_new(reading->value, HISTORY));
        list_add(&readings, reading);
    }
    alarms.summary = realloc(alarms.summary, 100);
    print_accounts("waiting to be sent:");

    list_clear(&readings);
    list_clear(&alarms);
    print_accounts("sent:");

    (void)sys_heap_runtime_stats_get(tally_board_heap(), &stats);
    return alloc_tag_for_each(is_zero, NULL) != 0 ||
           stats.allocated_bytes != 0 || !sys_heap_validate(tally_board_heap());
}
