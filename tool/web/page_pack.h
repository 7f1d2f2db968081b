/* SPDX-License-Identifier: Apache-2.0 */
/* page_pack.h - a page's stacks in the form in which they take least room */
#pragma once

#include "tool/web/page_tree.h"

/* Find the order of nodes and ends, and take off what other columns tell. */
void page_pack(struct page_tree *tree);
