/* SPDX-License-Identifier: Apache-2.0 */
/*
 * turns.h - threads that take turns, on a processor without an operating system
 *
 * One runs until it sleeps or ends. While the first one, which runs the tests,
 * gives a guard back or sets the clock, all the others that can run do so,
 * until they cannot: as if they had been more urgent.
 */
#pragma once

/* Let the others run, if no interrupts are masked and the first one asks. */
void turns_let_others_run(void);

/* The threads that are left are no more. */
void turns_end_all(void);
