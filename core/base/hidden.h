/* SPDX-License-Identifier: Apache-2.0 */
/* hidden.h - for variables that other files read: no detour through a table */
#pragma once

#define HIDDEN __attribute__((visibility("hidden")))
