/* SPDX-License-Identifier: Apache-2.0 */
/*
 * site_order.h - the orders in which sites may be shown
 */
#ifndef TALLY_TOOL_COMMANDS_SITE_ORDER_H
#define TALLY_TOOL_COMMANDS_SITE_ORDER_H

#include <stdbool.h>
#include <stddef.h>

#include "tool/model/names/site_names.h"
#include "tool/model/profile/measure.h"
#include "tool/model/profile/profile.h"

/* What `--sort` takes. An order is the number of a word. */
extern const struct word_list site_orders;

/* What it asks for; live bytes where it goes by names. */
enum measure site_order_measure(unsigned order);

/*
 * Sort indices of profile->sites, or of its stacks. Equal ones keep their
 * order.
 */
void site_order_sort(unsigned order, const struct profile *profile,
                     const struct site_names *names, bool has_stacks,
                     size_t *rows, size_t count);

#endif /* TALLY_TOOL_COMMANDS_SITE_ORDER_H */
