/* SPDX-License-Identifier: Apache-2.0 */
/* hidden.h - what other files of a product use: no detour through a table */
#pragma once

#define HIDDEN __attribute__((visibility("hidden")))
