/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page.h - the page as one file that needs nothing else
 *
 * Script and style are tool/web/page/, bundled when Tally is built. The file
 * says itself, by a content security policy, that it asks for nothing.
 */
#pragma once

#include "tool/web/page_data.h"

/* Write errors stay in the FILE. */
void page_write(FILE *out, const struct page_subject *subject);

/* Write the page without data: it gets `data` and `events` from its server. */
void page_write_served(FILE *out, const char *title);

/* The texts of the bundle and their hashes, "sha256-...": the policy allows
   these alone to run, whatever else gets into the page. */
extern const char page_script[], page_script_hash[];
extern const char page_style[], page_style_hash[];
