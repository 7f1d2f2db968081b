/* SPDX-License-Identifier: Apache-2.0 */
/*
 * turns.h - threads that take turns, on a processor without an operating system
 *
 * A thread runs until it sleeps or ends. When the first one, which runs the
 * tests, releases a guard or sets the clock, all others run until they cannot,
 * as if they had a higher priority.
 */
#pragma once

/* Run the others, if no interrupts are masked and the first thread calls. */
void turns_let_others_run(void);

/* Discard the remaining threads. */
void turns_end_all(void);
