/* SPDX-License-Identifier: Apache-2.0 */
/* new_delete.h - C++ operator new and delete */
#ifndef TALLY_RECORDER_NEW_DELETE_H
#define TALLY_RECORDER_NEW_DELETE_H

/*
 * Find which operators our own hide. Those of a C++ library that is loaded
 * later are found when called.
 */
void new_delete_find(void);

#endif /* TALLY_RECORDER_NEW_DELETE_H */
