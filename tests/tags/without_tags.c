/* SPDX-License-Identifier: Apache-2.0 */
/* without_tags.c - CONFIG_MEM_ALLOC_PROFILING=n: plain calls, and no tags */
#include <stdlib.h>
#include <string.h>

#include "tally/kmalloc.h"
#include "tally/malloc.h"

#include "tests/tags/rows.h"

static int one_noprof(void)
{
    return 1;
}

int main(void)
{
    struct alloc_tag *tag;
    void *block = malloc(100), *other = kzalloc(5, GFP_KERNEL);
    char *text = alloc_hooks(strdup_noprof("x"));

    alloc_tag_record(tag);
    EXPECT(tag == NULL);
    EXPECT(alloc_hooks_tag(tag, one_noprof()) == 1);
    EXPECT(rows_of(__FILE__, 0).count == 0);
    free(block);
    free(text);
    kfree(other);
    return 0;
}
