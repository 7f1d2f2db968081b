/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_family.c - tally/kmalloc.h: requests of 0 bytes, arrays, texts,
   caches */
#include "tally/kmalloc.h"

#include <stdint.h>
#include <string.h>

#include "tests/tags/rows.h"

enum { FILL = 0x5a };

struct packet {
    uint64_t sequence;
    char text[36];
};

/* A request for 0 bytes returns no block, and all frees accept it. */
static void nothing(void)
{
    struct kmem_cache *none = NULL;
    void *a;

    a = kmalloc(0, GFP_KERNEL);
    ROW(0, 0);
    EXPECT(a == ZERO_SIZE_PTR && ZERO_OR_NULL_PTR(a));
    EXPECT(ZERO_OR_NULL_PTR(NULL) && !ZERO_OR_NULL_PTR(&a));
    EXPECT(kzalloc(0, GFP_KERNEL) == ZERO_SIZE_PTR);
    EXPECT(kcalloc(0, 8, GFP_KERNEL) == ZERO_SIZE_PTR);
    EXPECT(kvmalloc_array(8, 0, GFP_KERNEL) == ZERO_SIZE_PTR);
    EXPECT(kmemdup(&a, 0, GFP_KERNEL) == ZERO_SIZE_PTR);
    EXPECT(ksize(a) == 0 && ksize(NULL) == 0);
    kfree(a);
    kvfree(a);
    kfree_sensitive(a);
    kfree_sensitive(NULL);
    kmem_cache_destroy(none);

    a = krealloc(a, 10, GFP_KERNEL | __GFP_ZERO);
    ROW(10, 1);
    EXPECT(*(char *)a == 0);
    a = krealloc(a, 0, GFP_KERNEL);
    EXPECT(a == ZERO_SIZE_PTR);
    EXPECT_FILE(0, 0);
}

static void arrays(void)
{
    uint32_t *a, *b;

    a = kvmalloc_array(5, sizeof *a, GFP_KERNEL);
    ROW(20, 1);
    kvfree(a);
    a = krealloc_array(NULL, 5, sizeof *a, GFP_NOFS);
    ROW(20, 1);
    a[4] = FILL;
    b = krealloc_array(a, 5000, sizeof *a, GFP_NOIO);
    ROW(20000, 1);
    EXPECT(b[4] == FILL);
    EXPECT(krealloc_array(b, SIZE_MAX / 2, 3, GFP_KERNEL) == NULL);
    EXPECT_FILE(20000, 1);
    b = kvrealloc(b, 100000, GFP_KERNEL);
    ROW(100000, 1);
    EXPECT(b[4] == FILL);
    kvfree(b);
    EXPECT(kvcalloc(SIZE_MAX, 2, GFP_KERNEL) == NULL);
    EXPECT(kmalloc(SIZE_MAX, GFP_KERNEL) == NULL);
    EXPECT(size_mul(SIZE_MAX, 2) == SIZE_MAX && size_mul(6, 7) == 42);
    EXPECT_FILE(0, 0);
}

static void texts(void)
{
    static const char bytes[] = { 'a', 'b', 'c', 'd' };
    char *a;

    a = kmemdup_nul(bytes, sizeof bytes, GFP_KERNEL);
    ROW(5, 1);
    EXPECT(strcmp(a, "abcd") == 0);
    kfree(a);
    EXPECT(kmemdup_nul(NULL, 3, GFP_KERNEL) == NULL);
    a = kmemdup_nul(bytes, 0, GFP_KERNEL);
    ROW(1, 1);
    EXPECT(a[0] == '\0');
    kfree(a);
    a = kasprintf(GFP_KERNEL, "%s-%d", "eth", 10);
    ROW(7, 1);
    EXPECT(strcmp(a, "eth-10") == 0);
    kfree(a);
    a = kasprintf(GFP_KERNEL, "no arguments");
    ROW(13, 1);
    kfree(a);
    a = kstrndup("eleven byte", 6, GFP_KERNEL);
    ROW(7, 1);
    EXPECT(strcmp(a, "eleven") == 0);
    kfree(a);
    EXPECT(kstrndup(NULL, 6, GFP_KERNEL) == NULL);
    EXPECT_FILE(0, 0);
}

/* The block is cleared before libc has it: its first words are libc's then. */
static void secrets(void)
{
    unsigned char *volatile a;

    a = kmalloc(400, GFP_KERNEL);
    ROW(400, 1);
    memset(a, FILL, 400);
    EXPECT(ksize(a) >= 400);
    kfree_sensitive(a);
    a = kmalloc(400, GFP_KERNEL);
    for (size_t i = 32; i < 400; i++)
        EXPECT(a[i] != FILL);
    kfree(a);
    EXPECT_FILE(0, 0);
}

static void construct(void *object)
{
    memset(object, FILL, sizeof(struct packet));
}

static void caches(void)
{
    struct kmem_cache *cache = KMEM_CACHE(packet, SLAB_PANIC | SLAB_ACCOUNT);
    struct packet *a, *b;

    EXPECT(cache != NULL);
    EXPECT_FILE(0, 0);
    a = kmem_cache_alloc(cache, GFP_ATOMIC);
    ROW(sizeof *a, 1);
    b = kmem_cache_zalloc(cache, GFP_KERNEL);
    ROW(sizeof *a, 1);
    EXPECT(b->sequence == 0 && b->text[35] == 0);
    kmem_cache_free(cache, a);
    kmem_cache_free(cache, b);
    kmem_cache_destroy(cache);

    cache = kmem_cache_create("packets", sizeof *a, 0, SLAB_HWCACHE_ALIGN,
                              construct);
    a = kmem_cache_alloc(cache, GFP_KERNEL);
    ROW(sizeof *a, 1);
    EXPECT((uintptr_t)a % 64 == 0);
    EXPECT(a->text[0] == FILL && a->text[35] == FILL);
    kfree(a);
    kmem_cache_destroy(cache);

    cache = kmem_cache_create("pages", 100, 4096, 0, NULL);
    a = kmem_cache_zalloc(cache, GFP_KERNEL);
    ROW(100, 1);
    EXPECT((uintptr_t)a % 4096 == 0 && a->sequence == 0);
    kmem_cache_free(cache, a);
    kmem_cache_destroy(cache);
    EXPECT_FILE(0, 0);
}

/* The kernel's bits. */
static void flags(void)
{
    EXPECT(GFP_ATOMIC == 0x820 && GFP_KERNEL == 0xcc0);
    EXPECT(GFP_NOWAIT == 0x2800 && GFP_NOIO == 0xc00 && GFP_NOFS == 0xc40);
    EXPECT(GFP_USER == 0x100cc0 && GFP_HIGHUSER_MOVABLE == 0x100cca);
    EXPECT((GFP_DMA | GFP_DMA32) == 0x5 && GFP_KERNEL_ACCOUNT == 0x400cc0);
}

int main(void)
{
    nothing();
    arrays();
    texts();
    secrets();
    caches();
    flags();
    return 0;
}
