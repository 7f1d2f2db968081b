/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_calls.h - threads of a running process: stopped, judged, made to call
 * functions
 */
#pragma once

#include <linux/filter.h>
#include <sys/user.h>

#include "tool/session/find/process_facts.h"
#include "tool/session/session.h"

/*
 * Stopping one or all threads of a process, and letting them go on
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

/* Something done in a program while all its threads are stopped */

/* Stacks by /proc/PID/maps, read before the program was stopped. */
struct stack_words {
    const struct tracee *tracee;
    struct stack_range *ranges; /* private */
    size_t count;
    uint64_t deadline; /* of the monotonic clock: then the program goes on */
};

/*
 * Return true if `is` holds for the thread's instruction pointer or for a word
 * of its used stack, or if that cannot be read, or time is over. Return false
 * for a thread that has ended or is not stopped. Leftovers of earlier calls
 * are found as well. Hundreds of threads take a few milliseconds.
 */
bool stack_words_may_have(const struct stack_words *words,
                          const struct tracee_thread *thread,
                          bool (*is)(uint64_t word, const void *context),
                          const void *context);

enum { STANDSTILL_MS = 500 };

enum standstill {
    STANDSTILL_DONE,
    STANDSTILL_REFUSED, /* it cannot be done */
    STANDSTILL_AGAIN,   /* not now: a thread stands in the way */
    STANDSTILL_LATE,    /* the threads did not stop; it is said already */
};

typedef enum standstill standstill_fn(const struct stack_words *words,
                                      void *context);

/* Messages for a refusal, and for a thread that always was in the way. */
struct standstill_why {
    const char *refused, *again;
};

/*
 * Stop all threads and call `act`, again until it is done or refused, or the
 * time is over. No thread stands for longer than STANDSTILL_MS and what
 * stopping takes. Return 0, or -1 with the last failure set. `*stopped_ns`
 * keeps the longest stop.
 */
int standstill(struct tracee *tracee, int limit_ms, standstill_fn *act,
               void *context, const struct standstill_why *why,
               uint64_t *stopped_ns);

/*
 * Judging where a stopped thread may be made to call a function
 *
 * Not where it is in the loader, an allocator, the unwinder or a signal
 * handler: they hold locks, or have half done what the call finds. All that the
 * thread is in shows on its stack, which is followed to its end by the
 * unwinding information of the files that are mapped. A lock that another
 * thread holds is given back while the call waits for it.
 *
 * Debian's libc has no names of its inner functions, and `free` jumps to one of
 * them. So where libc is on the stack, either all its functions there have
 * names and none is on the list of those that lock or allocate, or the program
 * called one that does nothing but wait.
 */

struct safe_place;

enum { SAFE_PLACE_WHY_SIZE = 128 };

/* Reads the files of the program, which runs. NULL with the reason. */
struct safe_place *safe_place_open(const struct tracee *tracee);
void safe_place_close(struct safe_place *place);

/* Look again which files are mapped, when some may have come or gone. */
void safe_place_refresh(struct safe_place *place);

/* Return true if the loader's list of files is whole, false while a file is
   loaded. */
bool safe_place_is_loader_idle(const struct safe_place *place);

/* Return true if the stopped thread may call a function; else `why` reads on
   after "thread 12": "is in the allocator (malloc)". */
bool safe_place_look(struct safe_place *place, pid_t tid,
                     char why[SAFE_PLACE_WHY_SIZE]);

/* Return true if a stopped thread is in those bytes of code or returns to them,
   or if its callers cannot be found. */
bool safe_place_is_in(struct safe_place *place, pid_t tid, uint64_t start,
                      uint64_t size);

/* Return the address of an exported symbol of libc or its loader, or 0. */
uint64_t safe_place_symbol(const struct safe_place *place, const char *name);

/*
 * The frame by which a thread returns from a call of ours
 *
 * A return from a signal handler, that never ran: the kernel's rt_sigreturn
 * takes all registers, the signal mask and the floating point state from the
 * stack. libc has the code for it, whose address the called function returns
 * to, by way of two other instructions of libc that keep the result:
 *
 *     higher   floating point state
 *              the result
 *              context: registers, signal mask
 *              mov $15, %rax; syscall         __restore_rt of libc
 *              (popped to %rbx)
 *              mov %eax, (%rbx); pop %rbx; ret    errno as before
 *              errno's value
 *              pop %rax; ret
 *              address of errno (popped to %rbx)
 *     rsp ->   mov %rax, (%rbx); pop %rbx; ret    result
 *
 * So there is nothing that we must do for the thread to go on as before, and it
 * does when we are killed. Only a wait with a time limit begins anew then.
 */

/* Addresses of instructions in the program's libc. */
struct remote_code {
    uint64_t restore;      /* mov $15, %rax; syscall */
    uint64_t store;        /* mov %rax, (%rbx); pop %rbx; ret */
    uint64_t pop;          /* pop %rax; ret */
    uint64_t syscall;      /* syscall; ret */
    uint64_t errno_offset; /* from the thread's %fs */
};

/* Stands for the result until there is one. */
#define NO_RESULT UINT64_C(0x7a11e7b7e5c0ffee)

/* Registers and signal mask of a stopped thread. */
struct remote_state {
    struct user_regs_struct registers;
    uint64_t mask; /* of signals */
    size_t floating_size;
    uint8_t floating[12288];
};

/* Find those instructions; `errno_location` is libc's __errno_location. */
int remote_code_find(struct remote_code *code, const struct tracee *tracee,
                     uint64_t errno_location);

bool remote_state_get(struct remote_state *state, pid_t tid);

/* Return registers that repeat the system call in which the thread was
   stopped. */
struct user_regs_struct
remote_state_restarted(const struct remote_state *state);

/*
 * Write the frame to the stack below `top`. Returns %rsp for the function, or
 * 0 when it cannot be written. `result` gets the address of the result.
 */
uint64_t remote_frame_write(const struct remote_code *code,
                            const struct tracee *tracee,
                            const struct remote_state *state, uint64_t top,
                            uint64_t *result);

/* %rsp when it returns, at the entry of rt_sigreturn. */
uint64_t remote_frame_end(uint64_t start);

/*
 * A function of a program that runs, called by one of its own threads
 *
 *     struct remote remote;
 *     uint64_t stack, handle;
 *
 *     remote_open(&remote, &tracee);
 *     remote_map(&remote, size, &stack);
 *     remote_call(&remote, &(struct remote_function){ .address = dlopen,
 *                 .stack = stack + size }, arguments, &handle);
 *
 * The thread is one that stands where that is safe, and then
 * goes on as before: registers, signal mask, alternate stack, errno and the
 * system call that it was in. All others run on. If we are killed at any
 * instant, the thread comes back by itself.
 */

enum { REMOTE_LIMIT_MS = 2000 };

struct remote {
    struct tracee *tracee;
    struct safe_place *place;
    struct remote_code code;
    int limit_ms; /* for finding a thread, and for each call */
};

struct remote_function {
    uint64_t address;
    uint64_t number; /* of the system call, where the address is of one */
    uint64_t stack;  /* above the highest byte of its stack; 0: the thread's */
};

/* Keeps `tracee`, of which no thread may be traced. */
int remote_open(struct remote *remote, struct tracee *tracee);
void remote_close(struct remote *remote);

/* Call the function with six arguments. Return -1 also if it did not return in
   time: it may still return, so its stack stays in use. */
int remote_call(struct remote *remote, const struct remote_function *function,
                const uint64_t arguments[6], uint64_t *result);

/* Map `size` writable zero bytes in the program, for good. */
int remote_map(struct remote *remote, uint64_t size, uint64_t *address);

/*
 * Judging if seccomp filters allow the calls of attaching
 *
 * Each of its threads may have filters of its own. They are read from the
 * kernel, which takes root, and followed for each call with any arguments: what
 * depends on those, or on anything else that we do not know, counts as its
 * worst.
 */

enum seccomp_verdict {
    SECCOMP_ALLOWS,
    SECCOMP_FAILS, /* with an errno */
    SECCOMP_ENDS,  /* or anything else */
};

/* Return the worst that a filter may do at system call `number` of x86-64. */
enum seccomp_verdict seccomp_judge(const struct sock_filter *filter,
                                   size_t count, uint32_t number);

/* -1: a call that attaching makes could end the process, or fails. Threads with
   filters are stopped, one by one. */
int seccomp_check(struct tracee *tracee);

/*
 * The system calls that attaching makes in a process: ours, those of dlopen()
 * and its malloc, and of the recorder until the process ends. A victim of the
 * tests has a filter that ends it for all others.
 */
/* clang-format off */
/* Without one of these there is no recorder, or no ledger. */
#define SECCOMP_CALLS_NEEDED(X)                                             \
    X(close) X(fcntl) X(fstat) X(ftruncate) X(futex) X(getpid) X(getppid)   \
    X(gettid) X(madvise) X(memfd_create) X(mmap) X(mprotect) X(mremap)      \
    X(munmap) X(newfstatat) X(openat) X(pread64) X(prlimit64) X(pwrite64)   \
    X(read) X(readlinkat) X(restart_syscall) X(rt_sigprocmask)              \
    X(rt_sigreturn)

/* Without these, less is known of it, or it takes longer. */
#define SECCOMP_CALLS_OPTIONAL(X)                                           \
    X(brk) X(clock_gettime) X(fchmod) X(getcwd) X(getdents64) X(getegid)    \
    X(geteuid) X(getrandom) X(mincore) X(munlock) X(nanosleep) X(prctl)     \
    X(sched_getaffinity) X(sched_yield) X(sigaltstack) X(tkill) X(write)
/* clang-format on */
