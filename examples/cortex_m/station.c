/* SPDX-License-Identifier: Apache-2.0 */
/*
 * station.c - a weather station: an interrupting sensor and a main loop
 *
 * The sensor's interrupt allocates readings from a slab. The main loop turns
 * them into messages in a k_heap, keeps days in a sys_heap, and keeps a list of
 * alarms, allocated by tally/malloc.h. alarm_new() is a helper, so its callers
 * are charged; a list keeps the tag of the code that created it.
 *
 * Meanwhile the profiler reports the use of these regions and of both stacks
 * over UART 1. UART 0 prints text: a line for each block while messages are
 * made and sent, as in Mbed OS; memory by line of source, as in Linux; and at
 * the end the last report expected from the profiler, as
 *
 *     expect REGION ADDRESS USED UNUSED
 *
 * The expected values are computed here, without Tally. A block of a heap takes
 * 4 more bytes than requested, rounded up to 8.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "board.h"
#include "tally/alloc_tag.h"
#include "tally/allocinfo.h"
#include "tally/bare_metal.h"
#include "tally/k_heap.h"
#include "tally/malloc.h"
#include "tally/mem_slab.h"
#include "tally/mem_trace.h"
#include "tally/stack.h"
#include "tally/sys_heap.h"
#include "tally/zpl.h"

enum {
    READING_BYTES = 16,
    READINGS = 8,
    SAMPLES = 5,
    ALARMING = 23, /* degrees */
    MESSAGE_BYTES = 40,
    DAY_BYTES = 100,
    HISTORY = 48,
    ROUNDS = 3, /* for which a state is watched */

    /* Bytes of each heap, without its own data. */
    MESSAGES_BYTES = 512,
    MESSAGES_SHARED = MESSAGES_BYTES - 40,
    DAYS_BYTES = 1024,
    DAYS_SHARED = DAYS_BYTES - 56,
    MALLOC_SHARED = 16384 - 312,

    /* Depth to which the stacks are used, more than all other code does. */
    DEEP = 3000,
    HANDLER_DEEP = 600,
};

struct reading {
    struct reading *next;
    uint32_t degrees;
    uint32_t reserved[2];
};

struct alarm {
    struct alarm *next;
    uint32_t degrees;
    uint8_t history[];
};

/* Blocks of the list itself are charged to the code that created it. */
struct list {
    struct alarm *first;
    uint32_t *summary;
    struct alloc_tag *tag;
};

K_MEM_SLAB_DEFINE(readings, READING_BYTES, READINGS, 4);
K_HEAP_DEFINE(messages, MESSAGES_BYTES);

static struct sys_heap days;
static _Alignas(8) unsigned char days_memory[DAYS_BYTES];
static struct tally_stack program, handlers;

static struct reading *volatile sampled; /* by the interrupt */
static volatile unsigned sample_count;
static volatile bool goes_deep;
static void *message[SAMPLES], *day[SAMPLES];

/* Use the stack down to exactly `depth` bytes below its end; the caller masks
   interrupts, which would use more. */
static __attribute__((noinline)) void use_stack(const unsigned char *end,
                                                uint32_t depth)
{
    register unsigned char *top __asm("sp");
    volatile unsigned char *byte = top;

    while (byte > end - depth)
        *--byte = 1;
}

/* The sensor: an interrupt every 10 ms. */
void board_on_tick(void)
{
    struct reading *reading;

    if (goes_deep)
        use_stack(handler_stack_end, HANDLER_DEEP);
    goes_deep = false;
    if (sample_count == SAMPLES ||
        k_mem_slab_alloc(&readings, (void **)&reading, K_NO_WAIT) != 0)
        return;
    reading->degrees = 20 + sample_count;
    reading->next = sampled;
    sampled = reading;
    sample_count++;
}

static struct alarm *alarm_new_noprof(uint32_t degrees, size_t history)
{
    struct alarm *alarm = malloc_noprof(sizeof *alarm + history);

    if (alarm != NULL)
        *alarm = (struct alarm){ .degrees = degrees };
    return alarm;
}

#define alarm_new(...) alloc_hooks(alarm_new_noprof(__VA_ARGS__))

static void list_init_noprof(struct list *list)
{
    *list = (struct list){ 0 };
    alloc_tag_record(list->tag);
}

#define list_init(list) alloc_hooks(list_init_noprof(list))

static void list_add(struct list *list, struct alarm *alarm)
{
    if (list->summary == NULL)
        list->summary =
            alloc_hooks_tag(list->tag, malloc_noprof(16 * sizeof(uint32_t)));
    alarm->next = list->first;
    list->first = alarm;
}

static void list_clear(struct list *list)
{
    while (list->first != NULL) {
        struct alarm *alarm = list->first;

        list->first = alarm->next;
        free(alarm);
    }
}

static int print(const char *text, size_t size, void *context)
{
    (void)context;
    tally_board_write(text, size);
    return 0;
}

/* Print the program's own rows; rows of Tally have "[tally]". */
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

static void watch(void)
{
    for (unsigned rounds = 0; rounds < ROUNDS;)
        rounds += tally_zpl_poll();
}

static bool start(void)
{
    static unsigned char packet[512];
    const struct tally_zpl_stream stream = {
        .sink = board_trace_sink(),
        .buffer = packet,
        .capacity = sizeof packet,
    };

    tally_stack_enter(&program, "program", stack, stack_end - stack);
    tally_stack_enter(&handlers, "handlers", handler_stack,
                      handler_stack_end - handler_stack);
    sys_heap_init(&days, days_memory, sizeof days_memory);
    return tally_zpl_open(&stream) == 0;
}

static void fill(struct list *alarms)
{
    unsigned i = 0;

    for (struct reading *reading = sampled; reading != NULL;
         reading = reading->next, i++) {
        message[i] = k_heap_alloc(&messages, MESSAGE_BYTES, K_NO_WAIT);
        day[i] = sys_heap_alloc(&days, DAY_BYTES);
        if (reading->degrees >= ALARMING)
            list_add(alarms, alarm_new(reading->degrees, HISTORY));
    }
}

/* Sent blocks are freed; one reading, one message and two days remain. */
static void send(struct list *alarms)
{
    while (sampled->next != NULL) {
        struct reading *reading = sampled;

        sampled = reading->next;
        k_mem_slab_free(&readings, reading);
    }
    for (unsigned i = 1; i < SAMPLES; i++)
        k_heap_free(&messages, message[i]);
    for (unsigned i = 2; i < SAMPLES; i++)
        sys_heap_free(&days, day[i]);
    list_clear(alarms);
}

static void go_deep(void)
{
    goes_deep = true;
    while (goes_deep)
        ;
    __asm volatile("cpsid i" ::: "memory");
    use_stack(stack_end, DEEP);
    __asm volatile("cpsie i" ::: "memory");
}

static void expect(const char *region, const void *address, uint32_t used,
                   uint32_t all)
{
    board_print("expect ");
    board_print(region);
    board_print(" ");
    board_print_address(address);
    board_print(" ");
    board_print_number(used);
    board_print(" ");
    board_print_number(all - used);
    board_print("\n");
}

static uint32_t in_heap(uint32_t bytes)
{
    return (bytes + 4 + 7) / 8 * 8;
}

static void print_expected(void)
{
    expect("stack", stack, DEEP, (uint32_t)(stack_end - stack));
    expect("stack", handler_stack, HANDLER_DEEP,
           (uint32_t)(handler_stack_end - handler_stack));
    expect("heap", &days, 2 * in_heap(DAY_BYTES), DAYS_SHARED);
    expect("heap", tally_board_heap(), in_heap(100), MALLOC_SHARED);
    expect("k_heap", &messages, in_heap(MESSAGE_BYTES), MESSAGES_SHARED);
    expect("mem_slab", &readings, READING_BYTES, READINGS * READING_BYTES);
}

int main(void)
{
    struct list alarms;

    if (!start())
        return 1;
    list_init(&alarms);
    while (sample_count < SAMPLES)
        (void)tally_zpl_poll();
    mbed_mem_trace_set_callback(mbed_mem_trace_default_callback);
    fill(&alarms);
    alarms.summary = realloc(alarms.summary, 100);
    mbed_mem_trace_disable();
    print_accounts("waiting to be sent:");
    watch();

    mbed_mem_trace_enable();
    send(&alarms);
    mbed_mem_trace_set_callback(NULL);
    print_accounts("sent:");
    go_deep();
    watch();
    zpl_memory_profiling_set(false);
    board_trace_finish();
    print_expected();
    return 0;
}
