/* SPDX-License-Identifier: Apache-2.0 */
/*
 * objects.c - slabs of another source, of a shared library, and of one that is
 * loaded and unloaded repeatedly
 *
 * usage: objects LIBRARY SAME WITHOUT
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include <tally/mem_slab.h>
#include <tally/sys_heap.h>

extern struct k_mem_slab elsewhere;
extern struct k_mem_slab of_library;

enum { TIMES = 200 };

static int failures;

#define CHECK(condition)                                           \
    do {                                                           \
        if (!(condition)) {                                        \
            printf("line %d: not so: %s\n", __LINE__, #condition); \
            failures++;                                            \
        }                                                          \
    } while (0)

static unsigned listed(const char *name)
{
    struct k_mem_slab *slab = NULL;
    unsigned count = 0;

    while ((slab = tally_mem_slab_next(slab)) != NULL)
        count += strcmp(tally_mem_slab_name(slab), name) == 0;
    return count;
}

static unsigned heaps(void)
{
    struct sys_heap *heap = NULL;
    unsigned count = 0;

    while ((heap = tally_heap_next(heap)) != NULL)
        count++;
    return count;
}

static void use_the_slab_of_another_source(void)
{
    void *mem;

    CHECK(k_mem_slab_num_free_get(&elsewhere) == 3);
    CHECK(k_mem_slab_alloc(&elsewhere, &mem, K_NO_WAIT) == 0);
    CHECK(k_mem_slab_num_used_get(&elsewhere) == 1);
    k_mem_slab_free(&elsewhere, mem);
    CHECK(k_mem_slab_num_used_get(&elsewhere) == 0);
    CHECK(listed("elsewhere") == 1);
}

static void use_the_slab_of_a_library(void)
{
    void *mem;

    /* Its constructor holds one block. */
    CHECK(k_mem_slab_num_used_get(&of_library) == 1);
    CHECK(k_mem_slab_alloc(&of_library, &mem, K_NO_WAIT) == 0);
    CHECK(k_mem_slab_num_used_get(&of_library) == 2);
    CHECK(listed("of_library") == 1);
    CHECK(listed("hidden_in_library") == 1);
}

/* After it is unloaded, all later counts are unchanged. */
static void load_one_without(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    CHECK(library != NULL);
    if (library != NULL)
        dlclose(library);
}

/* Its slab has the same name as ours, and its code uses ours. */
static void load_one_of_the_same_name(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    unsigned heaps_before = heaps();
    void *mem;

    CHECK(library != NULL);
    if (library == NULL)
        return;
    CHECK(listed("of_library") == 1);
    dlclose(library);
    CHECK(listed("of_library") == 1);
    CHECK(heaps() == heaps_before);
    CHECK(k_mem_slab_alloc(&of_library, &mem, K_NO_WAIT) == 0);
    k_mem_slab_free(&of_library, mem);
}

/*
 * Each time its slabs are new, and leave the list with it. A slab that was
 * forgotten before is not reused for another.
 */
static void load_and_unload(const char *path)
{
    unsigned heaps_before = heaps();
    static struct k_mem_slab at_run_time;
    static char buffer[64] __aligned(4);

    for (unsigned i = 0; i < TIMES && failures == 0; i++) {
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        struct k_mem_slab *slab;
        int (*use)(void);

        CHECK(library != NULL);
        if (library == NULL)
            return;
        *(void **)&use = dlsym(library, "use_library");
        slab = dlsym(library, "of_library");
        CHECK(slab != &of_library);
        CHECK(use() == 0);
        CHECK(k_mem_slab_num_used_get(slab) == 2);
        CHECK(listed("of_library") == 2);
        CHECK(heaps() == heaps_before + 1);
        tally_mem_slab_forget(dlsym(library, "to_be_forgotten"));
        dlclose(library);
        CHECK(k_mem_slab_init(&at_run_time, buffer, 8, 8) == 0);
        tally_mem_slab_name_set(&at_run_time, "at run time");
        CHECK(listed("at run time") == 1);
        tally_mem_slab_forget(&at_run_time);
        CHECK(listed("of_library") == 1);
        CHECK(listed("hidden_in_library") == 1);
        CHECK(heaps() == heaps_before);
    }
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    tally_mem_slab_name_set(&elsewhere, "elsewhere");
    use_the_slab_of_another_source();
    use_the_slab_of_a_library();
    load_one_without(argv[3]);
    load_one_of_the_same_name(argv[2]);
    load_and_unload(argv[1]);
    printf("%s\n", failures == 0 ? "done" : "failed");
    return failures != 0;
}
