/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page.h - the page as one file that needs nothing else
 *
 * Script and style are tool/web/page/, bundled when Tally is built. The file
 * says itself, by a content security policy, that it asks for nothing.
 */
#pragma once

#include "tool/web/page_subject.h"

/* Write errors stay in the FILE. */
void page_write(FILE *out, const struct page_subject *subject);

/* Write the head of a page with the page's style, up to its body. Its script
   may load data from `sources`, of a content security policy. */
void page_begin(FILE *out, const char *title, const char *script_hash,
                const char *sources);

/* The texts of the bundle and their hashes, "sha256-...": the policy allows
   these alone to run, whatever else gets into the page. */
extern const char page_script[], page_script_hash[];
extern const char page_style[], page_style_hash[];

/* Script of the list of tally serve. */
extern const char list_script[], list_script_hash[];
