/* SPDX-License-Identifier: Apache-2.0 */
/* launch_parts.h - find the program, start it, relay its signals */
#pragma once

#include <limits.h>
#include <signal.h>
#include <sys/resource.h>

#include "format/program_facts.h"
#include "tool/patch/patch.h"
#include "tool/session/session.h"

/* Find the program to run, and refuse one that cannot be recorded */

struct program_file {
    char path[PATH_MAX]; /* path for execve() */
    /* an allocator function that the executable defines, or "" */
    char own_allocator[64];
    /* program for another machine that this one emulates, so that neither is
       recorded; or NULL */
    const char *guest;
    struct patch_plan plan; /* plan to record its own malloc; count 0: none */
};

/*
 * Find a command's program as the shell does. Follow a script to its
 * interpreter, and the loader to the program in its arguments. Refuse a program
 * that the recorder cannot be preloaded into.
 */
int program_file_find(char *const command[], struct program_file *program,
                      struct session_failure *failure);

/* Read the facts in a program's headers. An unreadable file has none. */
void program_file_read(const char *path, struct program_facts *facts);

/*
 * Relay of signals, stops and the end between us and the program
 *
 * From signal_relay_begin() on, all signals are blocked here and taken one by
 * one. No handler is installed, so the program inherits all dispositions
 * unchanged.
 *
 * A signal for our whole process group (a key on the terminal, `kill 0`)
 * reaches the program directly and must not be delivered twice. A signal does
 * not tell if it was sent to a group. So there is a witness: a process that
 * sleeps in our group with all signals blocked, and whose pid no sender knows.
 * A signal that is pending there too was sent to the group.
 *
 * A signal sent to the group before the program exists does not reach it. So
 * the program starts with all signals blocked, and waits until
 * signal_relay_join() has delivered those that are not pending in it.
 *
 * When the program stops, we stop by the same signal; when one of us is
 * continued, so is the other. When it ends, program_end_alike() ends us in the
 * same way.
 */

/*
 * A process that helps to watch the program. It is not our child, so that the
 * program is the only one among our children. It has one descriptor, the read
 * end of a pipe: when we end in any way, it reads the end of the pipe and ends
 * too.
 */
struct companion {
    pid_t pid;    /* -1: none */
    int lifeline; /* write end of the pipe */
};

/*
 * Start a companion that calls `live` and exits when that returns. Its standard
 * input is the pipe. Unless `kept` is -1, it inherits `count` descriptors from
 * `kept` on and has a session of its own. It inherits the mask of blocked
 * signals. If no process can be created, its pid is -1.
 */
struct companion companion_start(void (*live)(void), int kept, int count);

/* End a companion, and wait until it has exited. */
void companion_end(struct companion *companion);

struct signal_relay {
    sigset_t all;                     /* signals that we block and take */
    sigset_t inherited_mask;          /* mask of the program */
    struct sigaction inherited_child; /* SIGCHLD disposition of the program */
    struct companion witness;
    int kept;            /* signal for us only, not for the program; 0: none */
    unsigned kept_count; /* number of `kept` signals received */
    siginfo_t unheard;   /* fatal signal too late for the program; or all 0 */
};

void signal_relay_begin(struct signal_relay *relay);

/* Start relaying. The program exists, has all signals blocked, and is in our
   group. */
void signal_relay_join(struct signal_relay *relay, pid_t program);

/* In a forked child, restore mask and dispositions. */
void signal_relay_undo(const struct signal_relay *relay);

/* End the witness. */
void signal_relay_end(struct signal_relay *relay);

/*
 * Wait for the program's end. Return its status as waitpid() does. `poll` is
 * called meanwhile, and returns the milliseconds until its next call.
 */
int program_wait(pid_t program, struct signal_relay *relay,
                 int (*poll)(void *context), void *context);

/* Stop by signal `number`, and continue. Return false if the system ignored
   it. */
bool program_wait_stop_by(int number, const struct signal_relay *relay);

/*
 * Return the exit status to end with. If a signal killed the program, kill this
 * process by the same signal; this does not return.
 */
int program_end_alike(int status);

/* Start the program as if tally record were absent */

/* libtally-record.so with a path that fits into LD_PRELOAD */
struct recorder_library {
    char path[PATH_MAX];   /* absolute, without characters special to
                              LD_PRELOAD */
    char folder[PATH_MAX]; /* private folder with a link, or "" */
};

/*
 * Find the recorder: $TALLY_RECORDER, or in ../lib/ of this command, or beside
 * it. LD_PRELOAD cannot contain a path with a space or a colon; for that a link
 * is made in a private folder, until recorder_library_remove().
 */
int recorder_library_find(struct recorder_library *library,
                          struct session_failure *failure);
void recorder_library_remove(const struct recorder_library *library);

/*
 * Turn our environment into the program's. LD_PRELOAD gets the recorder in
 * front of its old value, TALLY_SESSION the session's name. All other variables
 * and their order stay; launch_program() replaces our pid in variables of
 * systemd. `program` is the path that will be executed.
 */
int launch_set_environment(const struct recorder_library *library,
                           const char *session, const char *program,
                           struct session_failure *failure);

struct launch {
    const char *path;
    char **arguments;              /* argv of the program */
    struct rlimit file_size_limit; /* limit of the program */
    struct signal_relay *relay;
    pid_t *told; /* set to the pid before the program runs; may be NULL */
};

/* Start the program. Return its pid, or -1. */
pid_t launch_program(const struct launch *launch,
                     struct session_failure *failure);
