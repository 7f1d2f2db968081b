/* SPDX-License-Identifier: Apache-2.0 */
/* configuration.h - Zephelin's feature switches: memory_profiler only */
#ifndef TALLY_COMPAT_ZPL_CONFIGURATION_H
#define TALLY_COMPAT_ZPL_CONFIGURATION_H

#include "tally/zpl.h"

#define ZPL_CONF_SET(feature, is_on) TALLY_ZPL_SET_##feature(is_on)
#define ZPL_CONF_IS_ENABLED(feature) TALLY_ZPL_GET_##feature()

#define TALLY_ZPL_SET_memory_profiler(is_on) zpl_memory_profiling_set(is_on)
#define TALLY_ZPL_GET_memory_profiler()      tally_zpl_is_on()

#endif /* TALLY_COMPAT_ZPL_CONFIGURATION_H */
