/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page_data.h - what the page shows, packed: docs/page-format.md
 *
 *     struct page_subject subject = { .profile = profile, .names = names,
 *                                     .frames = frames, .title = "a.tally" };
 *
 *     page_data_write(out, &subject);
 */
#pragma once

#include <stdio.h>

#include "tool/web/page_subject.h"

/* Write errors stay in the FILE. */
void page_data_write(FILE *out, const struct page_subject *subject);
