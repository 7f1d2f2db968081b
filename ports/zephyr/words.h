/* SPDX-License-Identifier: Apache-2.0 */
/* words.h - words shared by threads and interrupts, which the lock keeps out */
#pragma once

#include "ports/bare_metal/words.h"
