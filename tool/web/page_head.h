/* SPDX-License-Identifier: Apache-2.0 */
/* page_head.h - members of the head of a page's data: docs/page-format.md */
#pragma once

#include "tool/render/json.h"
#include "tool/web/page_subject.h"

/* Write all of the subject but its stacks. */
void page_head_write(struct json *json, const struct page_subject *subject);
