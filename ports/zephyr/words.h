/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words.h - words shared by threads and interrupts
 *
 * Masked interrupts keep both out, as on bare metal.
 */
#pragma once

#include "ports/bare_metal/words.h"
