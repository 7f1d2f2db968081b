/* SPDX-License-Identifier: Apache-2.0 */
/*
 * port.h - what a platform supplies
 *
 * The whole contract between Tally's core and the machine it runs on. A port is
 * one folder under ports/ that defines these functions; tests supply a fake
 * one. The core calls them from inside other people's allocators, so none of
 * them may allocate through a hooked allocator or change errno, and only
 * tally_port_console() prints.
 */
#ifndef TALLY_PORT_H
#define TALLY_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tally_thread;

/*
 * `size` bytes of zeroed memory for the accounts themselves, aligned to 4,096
 * bytes on hosts and to 16 on firmware; `size` need not be a multiple. The core
 * owns them until it gives them back with the same size. NULL when there are none
 * left.
 *
 * Any thread; signal handlers on hosts. Called rarely, never on the hot path.
 */
void *tally_port_pages_alloc(size_t size);
void tally_port_pages_free(void *pages, size_t size);

/*
 * Pages, all of one call of tally_port_pages_alloc(), whose contents are of no use
 * any more although threads may still read or write them: from now on they need
 * hold no memory, and may read as zeros. They are not given back.
 */
void tally_port_pages_forget(void *pages, size_t size);

/*
 * Keep all other contexts out for a few instructions: on firmware interrupts
 * are masked, on hosts a process-wide lock is held. Locks nest: unlock takes
 * what the matching lock returned. Where 64-bit atomic adds are lock-free the
 * lock is never taken from interrupts or signal handlers.
 */
uint32_t tally_port_lock(void);
void tally_port_unlock(uint32_t key);

/*
 * Which of tally_port_shard_count() shards of counters the calling context had
 * best add to, so that contexts that run at the same time do not share a cache
 * line. A hint, below the count: adds are atomic whatever the answer, and shard 0
 * is always right. The count never changes once it was asked.
 */
uint32_t tally_port_shard(void);
uint32_t tally_port_shard_count(void);

/*
 * Waiting. A guard is a lock, 0 when it is free, that signal handlers and
 * interrupts may take as well: until it is given back with what taking it
 * returned, neither of them comes in between. Held for a few instructions only.
 * Guards nest in one order. The child of a fork finds all of them free that its
 * own thread does not hold.
 */
uint64_t tally_port_guard(uint32_t *guard);
void tally_port_unguard(uint32_t *guard, uint64_t kept);

/* Whether the caller can wait: not in interrupts, nor with one thread only. */
bool tally_port_may_wait(void);

/*
 * Sleep while *word is `value`, at most until the clock shows `until_ns`;
 * TALLY_PORT_FOREVER: without end. It may return early. A wake that comes after
 * *word was changed is never missed; `word` need not exist any more when it comes.
 */
#define TALLY_PORT_FOREVER UINT64_MAX
void tally_port_wait(const uint32_t *word, uint32_t value, uint64_t until_ns);
void tally_port_wake(const uint32_t *word);

/* Have this called in each child that the process forks, by its only thread. */
void tally_port_on_fork(void (*in_child)(void));

/* What tally/thread.h keeps of the calling thread; at first zeros. */
struct tally_thread *tally_port_thread(void);

/*
 * Hosts only. A pointer that the calling thread has to itself, and that core keeps
 * in it; at first NULL, or what the library around core has put there.
 */
void **tally_port_thread_word(void);

/* Hosts only. The calling thread's errno. */
int *tally_port_errno(void);

/*
 * Hosts only. Have `leave` called by the calling thread when it ends, after what
 * else is called then, as far as can be known. It is the same for all threads.
 */
void tally_port_at_thread_end(void (*leave)(void));

/* Nanoseconds of a clock that never goes back; its zero is the port's. */
uint64_t tally_port_time_ns(void);

/* What the environment has under `name`, or NULL: it has nothing, there is none,
   or the program has more privileges than its user. Asked once. */
const char *tally_port_environment(const char *name);

/* Write all of it to a descriptor. 0, or a negative errno of the platform. */
int tally_port_write(int descriptor, const void *bytes, size_t size);

/* A line, newline included, for the user of the program: standard error, or
   nothing where there is no such place. */
void tally_port_console(const char *line, size_t size);

/* End the program because of its own fault: abort(), or what stands for it. */
void tally_port_abort(void) __attribute__((noreturn));

/*
 * The name of the shared object that the address lies in, without folder and
 * ".so" and what follows, cut to `capacity` bytes with its NUL. Returns false
 * for an address of the program itself.
 */
bool tally_port_module_name(const void *address, char *name, size_t capacity);

/* How many shared objects were unloaded so far. */
uint64_t tally_port_unloads(void);

/* A thread's stack as it is now; it grows down. */
struct tally_port_stack {
    uintptr_t start;  /* the lowest address */
    size_t size;      /* bytes */
    size_t most_used; /* at any time since the thread began, up to `size` */
    uint32_t thread;  /* its id, not 0 */
    const char *name; /* of the thread, or NULL */
};

typedef void (*tally_port_stack_fn)(void *context,
                                    const struct tally_port_stack *stack);

/*
 * Tell of the stack of every thread there is. Returns how many threads there are
 * besides, whose stacks cannot be found. One thread at a time.
 */
uint32_t tally_port_each_stack(tally_port_stack_fn tell, void *context);

/* Bytes of its stack that the thread uses now. 0: there is no such thread, or it
   runs at this moment on another processor. */
size_t tally_port_stack_depth(uint32_t thread);

/* A heap that is the platform's own: libc's. */
struct tally_port_heap {
    uintptr_t address; /* names it for as long as it is there */
    size_t used, unused;
    const char *name; /* valid during the call; NULL: none */
};

typedef void (*tally_port_heap_fn)(void *context,
                                   const struct tally_port_heap *heap);

/* Tell of all of them. One thread at a time. */
void tally_port_each_heap(tally_port_heap_fn tell, void *context);

/* Hosts only. Bytes that libc's malloc has handed out, as it counts them itself; 0:
   it does not tell. */
int64_t tally_port_heap_held(void);

/* Hosts only. Bytes that it has from the kernel; 0: it does not tell. */
int64_t tally_port_heap_reserved(void);

#ifdef __cplusplus
}
#endif

#endif /* TALLY_PORT_H */
