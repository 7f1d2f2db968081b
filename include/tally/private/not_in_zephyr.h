/* SPDX-License-Identifier: Apache-2.0 */
/*
 * not_in_zephyr.h - part of headers whose names Zephyr has, with other structs
 *
 * A program with the structs of one and the functions of the other would link,
 * and damage memory.
 */
#ifndef TALLY_PRIVATE_NOT_IN_ZEPHYR_H
#define TALLY_PRIVATE_NOT_IN_ZEPHYR_H

#include "tally/config.h"

#if TALLY_CONFIG(CONFIG_TALLY_KCONFIG) || defined __ZEPHYR__
#error "Zephyr has its own heaps and slabs: include <zephyr/kernel.h> instead"
#endif

#endif /* TALLY_PRIVATE_NOT_IN_ZEPHYR_H */
