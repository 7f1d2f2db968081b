/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_style.c - tally/kmalloc.h, function by function */
#include "tally/kmalloc.h"

#include <string.h>

#include "tests/tags/rows.h"

static int is_zero(const char *block, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (block[i] != 0)
            return 0;
    }
    return 1;
}

int main(void)
{
    void *a, *b;
    char *text;

    a = kmalloc(200, GFP_KERNEL);
    ROW(200, 1);
    memset(a, 1, 200);
    kfree(a);
    a = kmalloc(200, GFP_KERNEL | __GFP_ZERO);
    ROW(200, 1);
    EXPECT(is_zero(a, 200));
    kfree(a);
    a = kzalloc(50, GFP_ATOMIC);
    ROW(50, 1);
    EXPECT(is_zero(a, 50));
    kfree(a);
    a = kcalloc(64, 8, GFP_NOWAIT);
    ROW(512, 1);
    EXPECT(is_zero(a, 512));
    kfree(a);
    EXPECT(kcalloc((size_t)-1, 8, GFP_KERNEL) == NULL);
    EXPECT(kmalloc_array((size_t)-1, 2, GFP_KERNEL) == NULL);
    a = kmalloc_array(3, 9, GFP_KERNEL);
    ROW(27, 1);
    kfree(a);
    text = kstrdup("eleven byte", GFP_KERNEL);
    ROW(12, 1);
    EXPECT(strcmp(text, "eleven byte") == 0);
    EXPECT(kstrdup(NULL, GFP_KERNEL) == NULL);
    b = kmemdup(text, 4, GFP_KERNEL);
    ROW(4, 1);
    EXPECT(memcmp(b, "elev", 4) == 0);
    kfree(b);
    kfree(text);
    a = vmalloc(300000);
    ROW(300000, 1);
    vfree(a);
    a = kvmalloc(40, GFP_KERNEL);
    ROW(40, 1);
    kvfree(a);
    EXPECT_FILE(0, 0);

    EXPECT(krealloc(NULL, 0, GFP_KERNEL) == ZERO_SIZE_PTR);
    a = krealloc(NULL, 100, GFP_KERNEL);
    ROW(100, 1);
    memset(a, 7, 100);
    b = krealloc(a, 60, GFP_KERNEL);
    ROW(0, 0);
    EXPECT(b == a);
    EXPECT_FILE(100, 1);
    b = krealloc(a, 5000, GFP_KERNEL);
    ROW(5000, 1);
    EXPECT(((char *)b)[99] == 7);
    EXPECT_FILE(5000, 1);
    EXPECT(krealloc(b, 0, GFP_KERNEL) == ZERO_SIZE_PTR);
    kfree(NULL);
    vfree(NULL);
    EXPECT_FILE(0, 0);
    return 0;
}
