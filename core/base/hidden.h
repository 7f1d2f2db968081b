/* SPDX-License-Identifier: Apache-2.0 */
/* hidden.h - for variables that other files read: no detour through a table */
#ifndef TALLY_CORE_HIDDEN_H
#define TALLY_CORE_HIDDEN_H

#define HIDDEN __attribute__((visibility("hidden")))

#endif /* TALLY_CORE_HIDDEN_H */
