/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signal_relay.h - signals that arrive here, handed on to the program
 *
 * From signal_relay_begin() on, all signals are blocked here and taken one by
 * one; no handler is ever installed, so that the program inherits every
 * disposition as we found it.
 *
 * A signal for our whole process group (a key on the terminal, `kill 0`) has
 * reached the program by itself and must not be delivered twice. A signal
 * does not say to whom it was sent. So we look at a witness, a process that
 * sleeps in our group with all signals blocked and whose pid no sender knows: a
 * signal that is pending there too was meant for the group.
 *
 * A signal that came before there was a program has not reached it, though it
 * was for the group. So the program begins with all signals blocked and waits
 * until signal_relay_join() has handed on what does not wait for it already.
 */
#ifndef TALLY_TOOL_LAUNCH_SIGNAL_RELAY_H
#define TALLY_TOOL_LAUNCH_SIGNAL_RELAY_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "tool/launch/companion.h"

struct signal_relay {
    sigset_t all;                     /* what we block and take */
    sigset_t inherited_mask;          /* the program's */
    struct sigaction inherited_child; /* disposition of SIGCHLD: likewise */
    struct companion witness;
};

void signal_relay_begin(struct signal_relay *relay);

/* The program is there, waits with all blocked, and is in our group. */
void signal_relay_join(struct signal_relay *relay, pid_t program);

/* In a forked child: mask and dispositions as they were at the beginning. */
void signal_relay_undo(const struct signal_relay *relay);

/* Hand on a signal that was taken, unless the program has it already. */
void signal_relay_forward(struct signal_relay *relay, const siginfo_t *info,
                          pid_t program);

/* Whether the signal that was just taken was sent to our whole group. */
bool signal_relay_was_for_group(struct signal_relay *relay, int number);

/* End the witness. */
void signal_relay_end(struct signal_relay *relay);

#endif /* TALLY_TOOL_LAUNCH_SIGNAL_RELAY_H */
