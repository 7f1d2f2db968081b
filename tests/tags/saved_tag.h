/* SPDX-License-Identifier: Apache-2.0 */
/* saved_tag.h - a table that charges its creator */
#pragma once

#include "tally/malloc.h"

struct table {
    struct alloc_tag *tag;
};

#ifdef __cplusplus
extern "C"
#endif
    void
    table_init_noprof(struct table *table);

#define table_init(table) alloc_hooks(table_init_noprof(table))
