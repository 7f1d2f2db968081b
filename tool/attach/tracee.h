/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tracee.h - stopping one or all threads of a process, and letting them go on
 *
 *     struct tracee tracee;
 *
 *     if (tracee_open(&tracee, pid, failure) == 0) {
 *         if (tracee_stop_all(&tracee, TRACEE_STOP_MS) == 0)
 *             tracee_write(&tracee, address, bytes, size);
 *         tracee_release(&tracee);
 *         tracee_close(&tracee);
 *     }
 *
 * A thread that goes on does so as if it had not been stopped: signals that
 * came meanwhile reach it, calls of the kernel are made again, and one that was
 * stopped before stays so. All by the thread of ours that stopped it. If we are
 * killed, the kernel lets all go on.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include "tool/session/find/process_state.h"
#include "tool/session/session_failure.h"

enum {
    TRACEE_STOP_MS = 500,
    TRACEE_SYSCALL_STOP = 0x85, /* the signal of a stop at a system call */
};

struct tracee_thread {
    pid_t tid;
    bool is_stopped;
    bool is_in_group_stop; /* by SIGSTOP and the like: it must not run */
    bool has_ended;
};

struct tracee {
    pid_t pid;
    int memory; /* /proc/PID/mem: of this program, not of one run next */
    char rights[PROCESS_RIGHTS]; /* user, groups and capabilities it has then */
    struct tracee_thread *threads; /* that are traced */
    size_t count;
    bool has_refused;                /* another process traces one */
    struct session_failure *failure; /* says why a call that gave -1 failed */
};

/*
 * Stops nothing yet. Keeps `failure`.
 *
 * Without being stopped, the process can become another program at any time,
 * one with more rights, too. Memory is that of the program it was: all later
 * calls read and write it, or nothing. Registers are set only while rights are
 * as they were.
 */
int tracee_open(struct tracee *tracee, pid_t pid,
                struct session_failure *failure);
void tracee_close(struct tracee *tracee);

/* Call session_fail() with the process's number before the text. */
__attribute__((format(printf, 2, 3))) int
tracee_fail(const struct tracee *tracee, const char *format, ...);

/* Stop all threads, also those that begin meanwhile. After -1 call
   tracee_release(). */
int tracee_stop_all(struct tracee *tracee, int limit_ms);

/* Stop one thread. Return NULL if it has ended or did not stop in time; it is
   released then. */
struct tracee_thread *tracee_stop_one(struct tracee *tracee, pid_t tid,
                                      int limit_ms);

/* Let all traced threads go on untraced. A thread that does not stop, as in
   vfork, is kept until it does. */
void tracee_release(struct tracee *tracee);

/* Let go threads that have stopped since, which stand until then. Call this now
   and then while this process lives on. */
void tracee_release_late(void);

/* Read or write all bytes. Return false if they are not mapped, or if another
   program runs by now. Pages that the program may only read are written,
   too. */
bool tracee_read(const struct tracee *tracee, uint64_t address, void *to,
                 size_t size);
bool tracee_write(const struct tracee *tracee, uint64_t address,
                  const void *from, size_t size);

/* Get or set the registers of a stopped thread. */
bool tracee_get_registers(pid_t tid, struct user_regs_struct *registers);
bool tracee_set_registers(const struct tracee *tracee, pid_t tid,
                          const struct user_regs_struct *registers);

/* Return true if a stopped thread has the rights of the program that was
   opened. */
bool tracee_is_same(const struct tracee *tracee, pid_t tid);

/* Let the thread run by `request` of ptrace() and the signal `number` or 0,
   until the next event. */
void tracee_resume(struct tracee_thread *thread, int request, int number);

/* Wait for the next stop and its status. Return false after the deadline, or if
   the thread has ended. */
bool tracee_wait(struct tracee_thread *thread, uint64_t deadline_ns,
                 int *status);

/* Stop a thread that is traced and runs, or is stopped by another event, which
   it does not get; false: not within the time. */
bool tracee_interrupt(struct tracee_thread *thread, uint64_t deadline_ns);

/* List the threads, for free(). Return their number, 0 once the process has
   ended. */
size_t tracee_list(pid_t pid, pid_t **tids);

/* Deadlines are times of the monotonic clock. */
uint64_t tracee_deadline(int limit_ms);
bool tracee_is_past(uint64_t deadline_ns);
