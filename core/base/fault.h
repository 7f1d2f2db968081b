/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fault.h - bad frees and damage, when the program has set no handler
 *
 *     if (FAULT_IS_TOLD)
 *         fault_tell("heap", tally_heap_name(heap), sentences[fault]);
 */
#ifndef TALLY_CORE_FAULT_H
#define TALLY_CORE_FAULT_H

/* A library built for debugging tells, and aborts. */
#ifdef TALLY_DEBUG
enum { FAULT_IS_TOLD = 1 };
#else
enum { FAULT_IS_TOLD = 0 };
#endif

/* One line on the console, "KIND NAME: SENTENCE", and the end. NULL: no name. */
void fault_tell(const char *kind, const char *name, const char *sentence);

#endif /* TALLY_CORE_FAULT_H */
