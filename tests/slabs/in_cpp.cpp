/* SPDX-License-Identifier: Apache-2.0 */
/* in_cpp.cpp - slabs and heaps defined in C++, also in functions */
#include <stdio.h>
#include <string.h>

#include <tally/k_heap.h>
#include <tally/mem_slab.h>

K_MEM_SLAB_DEFINE(of_file, 64, 4, 8);
K_MEM_SLAB_DEFINE_STATIC(hidden, 64, 4, 64);
K_HEAP_DEFINE(heap, 1024);

static int failures;

#define CHECK(condition)                                           \
    do {                                                           \
        if (!(condition)) {                                        \
            printf("line %d: not so: %s\n", __LINE__, #condition); \
            failures++;                                            \
        }                                                          \
    } while (0)

static bool is_listed(const char *name)
{
    struct k_mem_slab *slab = NULL;

    while ((slab = tally_mem_slab_next(slab)) != NULL) {
        if (strcmp(tally_mem_slab_name(slab), name) == 0)
            return true;
    }
    return false;
}

static struct before_main {
    before_main() : result(k_mem_slab_alloc(&of_file, &mem, K_FOREVER))
    {
    }
    void *mem;
    int result;
} before_main;

static void use(struct k_mem_slab *slab)
{
    void *mem;

    CHECK(k_mem_slab_alloc(slab, &mem, K_MSEC(1)) == 0);
    CHECK(k_mem_slab_num_used_get(slab) == 1);
    k_mem_slab_free(slab, mem);
    CHECK(k_mem_slab_num_used_get(slab) == 0);
}

static void use_those_of_a_function(void)
{
    K_MEM_SLAB_DEFINE(of_function, 16, 3, 4);
    K_MEM_SLAB_DEFINE_STATIC(static_in_function, 16, 3, 4);

    use(&of_function);
    use(&static_in_function);
}

int main()
{
    CHECK(before_main.result == 0);
    k_mem_slab_free(&of_file, before_main.mem);
    use(&of_file);
    use(&hidden);
    use_those_of_a_function();
    use_those_of_a_function();
    CHECK(is_listed("of_file") && is_listed("hidden"));
    CHECK(is_listed("static_in_function"));
    CHECK(k_heap_alloc(&heap, 10, K_USEC(1)) != NULL);
    printf("%s\n", failures == 0 ? "done" : "failed");
    return failures != 0;
}
