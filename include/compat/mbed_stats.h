/* SPDX-License-Identifier: Apache-2.0 */
/* mbed_stats.h - where Mbed OS has what tally/mbed_stats.h declares */
#ifndef TALLY_COMPAT_MBED_STATS_H
#define TALLY_COMPAT_MBED_STATS_H

#include "tally/mbed_stats.h"

#endif /* TALLY_COMPAT_MBED_STATS_H */
