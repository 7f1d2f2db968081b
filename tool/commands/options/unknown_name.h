/* SPDX-License-Identifier: Apache-2.0 */
/* unknown_name.h - a --function, --file or --module that no call has */
#pragma once

#include "format/text/allocinfo_filter.h"
#include "tool/model/names/frame_names.h"
#include "tool/model/names/site_names.h"

/* Where no row is left, a line about each, with what is near. */
void note_unknown_names(const struct allocinfo_filter *filter,
                        const struct profile *profile,
                        const struct site_names *names,
                        const struct frame_names *frames);
