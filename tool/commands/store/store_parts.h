/* SPDX-License-Identifier: Apache-2.0 */
/* store_parts.h - tally store: its options and parts */
#pragma once

#include "tool/commands/options/command.h"
#include "tool/fleet/fleet.h"

enum { LABEL_LIMIT = 16, NS = 1000000000 };
enum store_form { FORM_TABLE, FORM_JSON, FORM_CSV };

struct store_options {
    struct source_options of;
    struct fleet_question question; /* for add: owner of the ledgers */
    const char *db, *password_file, *cluster, *output, *labels[LABEL_LIMIT];
    size_t label_count;
    uint64_t keep, last_ns, since_ns;
    unsigned form;
    bool has_outliers, is_forced;
};

/* Print "store: WHY"; return COMMAND_USAGE. */
int store_fail(const struct clickhouse *server);

/* Add each file, folder or process of a NULL-terminated list; return the exit
   status. */
int store_add(struct clickhouse *server, const struct store_options *options,
              char **arguments);

/* Write the answer to stdout. */
void store_write(const struct fleet_answer *answer, enum store_form form);
