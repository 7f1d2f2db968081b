/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zpl_control.h - the profiler's switch in the ledger, where `tally ctl` finds it
 */
#ifndef TALLY_LINKED_ZPL_CONTROL_H
#define TALLY_LINKED_ZPL_CONTROL_H

/* Open the ledger, if the process may have one, and show the switch in it. */
void zpl_control_open(void);

/* Do what was asked for there since, and show what is so now. */
void zpl_control_read(void);

#endif /* TALLY_LINKED_ZPL_CONTROL_H */
