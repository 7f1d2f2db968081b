/* SPDX-License-Identifier: Apache-2.0 */
/* alloc_tag.h - tags and their accounts, for code that records */
#ifndef TALLY_CORE_ALLOC_TAG_H
#define TALLY_CORE_ALLOC_TAG_H

#include "tally/alloc_tag.h"

/* Open the tag's account, on its first allocation. 0: not recorded. */
uint32_t alloc_tag_open(struct alloc_tag *tag);

/* The site of the tag's account, or 0 when it cannot have one. */
static inline uint32_t alloc_tag_site(struct alloc_tag *tag)
{
    uint32_t site = __atomic_load_n(&tag->site, __ATOMIC_ACQUIRE);

    return __builtin_expect(site != 0, 1) ? site : alloc_tag_open(tag);
}

/* An event of this tag was lost: its row says so from now on. */
void alloc_tag_lose(struct alloc_tag *tag);

#endif /* TALLY_CORE_ALLOC_TAG_H */
