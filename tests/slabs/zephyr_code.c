/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zephyr_code.c - code of Zephyr sources, compiled unchanged
 *
 * Compiled as C99 with -pedantic-errors, as C17 and as C++11, with 2,048 bytes
 * for k_malloc().
 */
#include <zephyr/kernel.h>
#include <zephyr/sys/__assert.h>
#include <zephyr/sys/heap_listener.h>
#include <zephyr/sys/mem_stats.h>
#include <zephyr/sys/printk.h>
#include <zephyr/sys/sys_heap.h>
#include <zephyr/sys/util.h>
#include <zephyr/tracing/tracing.h>
#include <zpl.h>
#include <zpl/configuration.h>
#include <zpl/memory_event.h>

struct odd {
    char bytes[13];
};

K_MEM_SLAB_DEFINE(odd_slab, sizeof(struct odd), 5, 1);
K_MEM_SLAB_DEFINE_STATIC(pair_slab, 6, 3, 2);
K_HEAP_DEFINE(first_heap, 1024);
static K_HEAP_DEFINE(second_heap, Z_HEAP_MIN_SIZE_FOR(500));

struct message {
    int number;
    char text[9];
};

K_MEM_SLAB_DEFINE(message_slab, ROUND_UP(sizeof(struct message), 16), 5, 16);
BUILD_ASSERT(sizeof(struct message) == 16);
BUILD_ASSERT(WB_UP(1) == sizeof(void *) &&
                 WB_DN(sizeof(void *) + 1) == WB_UP(1),
             "words are as wide as pointers");
#define CONFIG_IS_ON  1
#define CONFIG_IS_OFF 0
#if !IS_ENABLED(CONFIG_IS_ON) || IS_ENABLED(CONFIG_IS_OFF) || \
    IS_ENABLED(CONFIG_IS_NOT_THERE)
#error "options are not told apart"
#endif

#if K_HEAP_MEM_POOL_SIZE != 2048
#error "the pool's size is not told"
#endif

#define CHECK(what)                                           \
    do {                                                      \
        if (!(what)) {                                        \
            printk("line %d: not so: %s\n", __LINE__, #what); \
            return 1;                                         \
        }                                                     \
    } while (0)

static int faults;

static void count(struct sys_heap *heap, const void *mem,
                  enum tally_heap_fault fault)
{
    ARG_UNUSED(heap);
    if (mem == NULL && fault == TALLY_HEAP_ALIGNMENT)
        faults++;
}

static int use_macros(void)
{
    struct message message;
    char *text = message.text;
    const char *const constant = text;
    int number = -3;

    CHECK(ROUND_UP(13, 4) == 16 && ROUND_UP(12, 12) == 12);
    CHECK(ROUND_UP(13, 12) == 24 && ROUND_DOWN(13, 4) == 12);
    CHECK(DIV_ROUND_UP(13, 4) == 4 && DIV_ROUND_UP(12, 4) == 3);
    CHECK(KB(3) == 3072 && MB(2) == 2097152 && GB(1) == 1073741824);
    CHECK(CLAMP(number, -2, 4) == -2 && CLAMP(5, -2, 4) == 4);
    CHECK(CLAMP(1, -2, 4) == 1 && IN_RANGE(4, -2, 4) && !IN_RANGE(5, -2, 4));
    CHECK(CONTAINER_OF(text, struct message, text) == &message);
    CHECK(CONTAINER_OF(constant, struct message, text) == &message);
    CHECK(BIT(5) == 32 && BIT_MASK(5) == 31 && BIT64(40) >> 39 == 2);
    CHECK(IS_POWER_OF_TWO(64) && !IS_POWER_OF_TWO(0) && !IS_POWER_OF_TWO(12));
    CHECK(IS_ALIGNED(POINTER_TO_UINT(&message), sizeof(int)));
    CHECK(!IS_ALIGNED(UINT_TO_POINTER(18), 4));
    CHECK(strcmp(STRINGIFY(CONFIG_IS_ON), "1") == 0);
    if (IS_ENABLED(CONFIG_IS_NOT_THERE) || !IS_ENABLED(CONFIG_IS_ON))
        return 1;
    __ASSERT(number++ == 0, "of %d nothing is evaluated", number);
    __ASSERT_NO_MSG(number++ == 0);
    CHECK(number == -3);
    return 0;
}

static int use_slabs(void)
{
    char *blocks[5];
    void *block;

    for (size_t i = 0; i < ARRAY_SIZE(blocks); i++) {
        CHECK(k_mem_slab_alloc(&odd_slab, (void **)&blocks[i], K_NO_WAIT) == 0);
        CHECK((uintptr_t)blocks[i] % 4 == 0);
        memset(blocks[i], 0xff, sizeof(struct odd));
    }
    CHECK(blocks[1] - blocks[0] == 16);
    CHECK(k_mem_slab_alloc(&odd_slab, &block, K_TICKS(10)) == -EAGAIN);
    for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
        k_mem_slab_free(&odd_slab, blocks[i]);
    CHECK(k_mem_slab_alloc(&pair_slab, &block, K_TICKS(1)) == 0);
    k_mem_slab_free(&pair_slab, block);
    return 0;
}

static int use_heaps(void)
{
    struct k_heap *heaps = NULL;
    struct sys_memory_stats stats;
    static char region[Z_HEAP_MIN_SIZE_FOR(3000)];
    static struct sys_heap heap;
    uintptr_t first = (uintptr_t)&first_heap, second = (uintptr_t)&second_heap;
    size_t total = 0;
    void *block;

    CHECK(k_heap_array_get(&heaps) == 2);
    CHECK((uintptr_t)heaps == MIN(first, second));
    CHECK((uintptr_t)(heaps + 1) == MAX(first, second));
    block = k_heap_alloc(&second_heap, 500, K_NO_WAIT);
    CHECK(block != NULL);
    for (int i = 0; i < 2; i++) {
        CHECK(sys_heap_runtime_stats_get(&heaps[i].heap, &stats) == 0);
        total += stats.allocated_bytes;
    }
    CHECK(total >= 500 && total < 600);
    k_heap_free(&second_heap, block);
    sys_heap_init(&heap, region, sizeof region);
    CHECK(sys_heap_alloc(&heap, 3000) != NULL);
    tally_heap_on_fault(count);
    CHECK(k_heap_aligned_alloc(&first_heap, 3, 16, K_NO_WAIT) == NULL);
    CHECK(k_heap_aligned_alloc(&first_heap, 3, 16, K_FOREVER) == NULL);
    CHECK(sys_heap_aligned_alloc(&heap, 12, 8) == NULL);
    CHECK(k_aligned_alloc(3, 16) == NULL);
    CHECK(faults == 4);
    return 0;
}

static int use_pool(void)
{
    char *text = (char *)k_malloc(20);
    unsigned *numbers = (unsigned *)k_calloc(10, sizeof(unsigned));
    void *aligned = k_aligned_alloc(64, 100);

    CHECK(text != NULL && numbers != NULL && aligned != NULL);
    CHECK((uintptr_t)aligned % 64 == 0);
    for (int i = 0; i < 10; i++)
        CHECK(numbers[i] == 0);
    memcpy(text, "nineteen characters", 20);
    text = (char *)k_realloc(text, 400);
    CHECK(text != NULL && strcmp(text, "nineteen characters") == 0);
    CHECK(k_malloc(2048) == NULL); /* headers take some of the 2,048 bytes */
    CHECK(k_malloc(0) == NULL);
    CHECK(k_calloc(SIZE_MAX / 2, 3) == NULL);
    CHECK(k_realloc(text, 0) == NULL);
    k_free(numbers);
    k_free(aligned);
    k_free(NULL);
    text = (char *)k_realloc(NULL, 1500);
    CHECK(text != NULL && k_malloc(700) == NULL);
    k_free(text);
    return 0;
}

int main(void)
{
    if (use_macros() != 0 || use_slabs() != 0 || use_heaps() != 0 ||
        use_pool() != 0)
        return 1;
    CHECK(zpl_init() == 0);
    ZPL_CONF_SET(memory_profiler, false);
    CHECK(!tally_zpl_is_on());
    zpl_emit_memory_event(ZPL_K_HEAP, (uintptr_t)&first_heap, 1, 2);
    sys_trace_named_event("done", 1, 2);
    CHECK(k_msleep(2) == 0);
    CHECK(k_sleep(K_TICKS(3)) == 0);
    printk("all of it\n");
    return 0;
}
