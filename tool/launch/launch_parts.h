/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch_parts.h - the program: found, started, and its signals relayed
 */
#pragma once

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "format/program_facts.h"
#include "tool/patch/patch.h"
#include "tool/session/session_failure.h"

/* Finding the program to run, and refusing what cannot be recorded */

struct program_file {
    char path[PATH_MAX]; /* what execve() gets */
    /* An allocator's function that the executable itself defines, or "" */
    char own_allocator[64];
    const char *guest; /* a program of another machine that this one emulates,
                          so that neither is recorded; or NULL */
    struct patch_plan plan; /* how it is recorded, too; count 0: it is not */
};

/*
 * Find a command's program as the shell does, follow a script to its
 * interpreter and the loader to the program in its arguments. Refuse a program
 * that the recorder cannot be preloaded into.
 */
int program_file_find(char *const command[], struct program_file *program,
                      struct session_failure *failure);

/* Read the facts in a program's headers; a file that cannot be read has
   none. */
void program_file_read(const char *path, struct program_facts *facts);

/*
 * The program's signals, stops and end are ours, too
 *
 * From signal_relay_begin() on, all signals are blocked here and taken one by
 * one; no handler is ever installed, so that the program inherits every
 * disposition as we found it.
 *
 * A signal for our whole process group (a key on the terminal, `kill 0`) has
 * reached the program by itself and must not be delivered twice. A signal does
 * not say if it was sent to a group. So we look at a witness, a process that
 * sleeps in our group with all signals blocked and whose pid no sender knows: a
 * signal that is pending there too was meant for the group.
 *
 * A signal that came before there was a program has not reached it, though it
 * was for the group. So the program begins with all signals blocked and waits
 * until signal_relay_join() has handed on what does not wait for it already.
 *
 * When the program stops, so do we, by the same signal. When one is continued,
 * so is the other. When it ends, program_end_alike() ends us in its way.
 */

/*
 * A process that helps us watch, and stays out of the way: it is not our
 * child, so that a search for the program among our children finds the program
 * alone. It holds one descriptor, a pipe whose other end is ours: when we end,
 * however we end, it reads the end of the pipe and ends too.
 */
struct companion {
    pid_t pid;    /* -1: there is none */
    int lifeline; /* our end of the pipe */
};

/*
 * Start one: `live` is called in it and returns when it may end. Its standard
 * input is the pipe. With `kept`, else -1, it also has `count` descriptors of
 * ours from that on, and is in a session of its own. Signals are blocked as
 * they are here. Without one (pid -1) when the system has no process left for
 * us.
 */
struct companion companion_start(void (*live)(void), int kept, int count);

/* Returns once it is gone. */
void companion_end(struct companion *companion);

struct signal_relay {
    sigset_t all;                     /* what we block and take */
    sigset_t inherited_mask;          /* the program's */
    struct sigaction inherited_child; /* its disposition of SIGCHLD */
    struct companion witness;
    int kept; /* a signal that is ours alone, not the program's; 0: none */
    unsigned kept_count; /* of it, how many came */
    siginfo_t unheard;   /* what the program ended too soon for; or all 0 */
};

void signal_relay_begin(struct signal_relay *relay);

/* The program is there, waits with all blocked, and is in our group. */
void signal_relay_join(struct signal_relay *relay, pid_t program);

/* In a forked child: mask and dispositions as they were at the beginning. */
void signal_relay_undo(const struct signal_relay *relay);

/* End the witness. */
void signal_relay_end(struct signal_relay *relay);

/*
 * Returns the status of the ended program, as waitpid() gives it. `poll` is
 * called now and then while it runs, and returns ms until the next call.
 */
int program_wait(pid_t program, struct signal_relay *relay,
                 int (*poll)(void *context), void *context);

/* Stop by `number`, and go on; false when the system ignored it. */
bool program_wait_stop_by(int number, const struct signal_relay *relay);

/*
 * The exit status to end with. A program that a signal killed is followed at
 * once: this does not return then.
 */
int program_end_alike(int status);

/* The program, started as if tally record were not there */

/* libtally-record.so, in words for LD_PRELOAD. */
struct recorder_library {
    char path[PATH_MAX];   /* absolute, and LD_PRELOAD can name it */
    char folder[PATH_MAX]; /* private folder that holds a link, or "" */
};

/*
 * $TALLY_RECORDER, or ../lib/ of this command, or beside it. LD_PRELOAD cannot
 * name a path with a space or a colon: then a link is made in a private
 * folder, which recorder_library_remove() takes away.
 */
int recorder_library_find(struct recorder_library *library,
                          struct session_failure *failure);
void recorder_library_remove(const struct recorder_library *library);

/*
 * Make our environment the program's by two variables: LD_PRELOAD begins with
 * the recorder and keeps what it held; TALLY_SESSION names the session. All
 * other variables, and their order, stay; launch_program() alone puts its pid
 * where systemd has ours. `program` is the path that will be run.
 */
int launch_set_environment(const struct recorder_library *library,
                           const char *session, const char *program,
                           struct session_failure *failure);

struct launch {
    const char *path;
    char **arguments;              /* the program's argv */
    struct rlimit file_size_limit; /* the program's own */
    struct signal_relay *relay;
    pid_t *told; /* gets its pid before it runs; may be NULL */
};

/* The program's pid once it runs, or -1. */
pid_t launch_program(const struct launch *launch,
                     struct session_failure *failure);
