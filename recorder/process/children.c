/* SPDX-License-Identifier: Apache-2.0 */
/*
 * children.c - threads, and children that share our memory: vfork and clone
 *
 * A new thread is in its creator's domain, begins with its creator's label, and
 * its stack is charged to its creator. The data for this lies in our own
 * memory, as nothing here may allocate. libc's thrd_create does not call our
 * pthread_create.
 *
 * Children that share our memory change the parent's heap, so their calls are
 * recorded in the parent's ledger. They need one precaution: while such a child
 * runs on its parent's TLS, the kernel keeps no rseq area for it.
 *
 * vfork returns twice on one stack. The child may overwrite the return address
 * that the parent still needs, so a register keeps it over the system call.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/mman.h>

#include "ledger/blocks/attach.h"
#include "ports/posix/memory/pages.h"
#include "ports/posix/raw_calls.h"
#include "recorder/maps/map_accounts.h"
#include "recorder/real_functions.h"
#include "sampling/memprof/memprof_state.h"
#include "tally/label.h"

struct creation {
    union {
        void *(*by_pthread)(void *);
        thrd_start_t by_thrd;
    } run;
    void *argument;
    struct memprof_domain *domain;
    uint32_t label;
    uint32_t site; /* of its stack; 0: not recorded */
    size_t stack_size;
    uint32_t is_taken;
};

enum { SLOTS = 64, KEYS_IN_THREADS = 32 };

/* data of threads about to begin; if a slot is taken, a page is mapped */
KEPT static struct creation slots[SLOTS];
static uint32_t next_slot;

KEPT static pthread_key_t key;
KEPT static bool was_tried, has_key;

static struct creation *take_slot(void)
{
    uint32_t number = __atomic_fetch_add(&next_slot, 1, __ATOMIC_RELAXED);
    struct creation *slot = &slots[number % SLOTS];
    long at;

    if (__atomic_exchange_n(&slot->is_taken, 1, __ATOMIC_ACQUIRE) == 0)
        return slot;
    at = raw_mmap(NULL, sizeof *slot, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return raw_failed(at) ? NULL : (void *)(uintptr_t)at;
}

static void give_back(struct creation *creation)
{
    if ((uintptr_t)creation - (uintptr_t)slots < sizeof slots)
        __atomic_store_n(&creation->is_taken, 0, __ATOMIC_RELEASE);
    else
        raw_munmap(creation, sizeof *creation);
}

/* Assign the calling thread's stack: glibc has its descriptor in the last
   page. */
static void set_stack(size_t size, uint32_t site)
{
    uintptr_t end = map_accounts_pages((uintptr_t)__builtin_thread_pointer());

    map_accounts_stack(end - size, end, site);
}

static void end_stack(void *size)
{
    set_stack((size_t)size, 0);
}

/* Plan the stack's site, unless the program has allocated the stack itself. */
static void plan_stack(struct creation *creation,
                       const pthread_attr_t *attributes, uintptr_t caller)
{
    static const pthread_attr_t plain; /* as pthread_attr_init() leaves it */
    void *start = NULL;
    size_t size = 0;

    if (attributes == NULL)
        attributes = &plain;
    if (pthread_attr_getstack(attributes, &start, &size) == 0 &&
        (uintptr_t)start + size != 0)
        return;
    pthread_attr_getstacksize(attributes, &size);
    if (!__atomic_load_n(&was_tried, __ATOMIC_ACQUIRE)) {
        /* libc would allocate for higher keys. If two threads make a key at
           once, either will do. */
        has_key =
            pthread_key_create(&key, end_stack) == 0 && key < KEYS_IN_THREADS;
        __atomic_store_n(&was_tried, true, __ATOMIC_RELEASE);
    }
    creation->stack_size = map_accounts_pages(size);
    creation->site = map_accounts_site(LEDGER_SITE_STACK, caller);
    if (creation->site != 0 && !has_key) {
        process_count(LEDGER_COUNT_lost_maps, 1);
        creation->site = 0;
    }
}

static void enter(struct creation *created)
{
    struct creation creation = *created;

    give_back(created);
    if (creation.domain != NULL)
        memprof_domain_enter(creation.domain);
    tally_label_use(creation.label);
    if (creation.site != 0 &&
        pthread_setspecific(key, (void *)creation.stack_size) == 0)
        set_stack(creation.stack_size, creation.site);
}

/* These end in a jump: they are in no stack of the program. */
static void *begin(void *created)
{
    const struct creation *creation = created;
    void *(*run)(void *) = creation->run.by_pthread;
    void *argument = creation->argument;

    enter(created);
    return run(argument);
}

static int begin_thrd(void *created)
{
    const struct creation *creation = created;
    thrd_start_t run = creation->run.by_thrd;
    void *argument = creation->argument;

    enter(created);
    return run(argument);
}

/* Create a thread with its creator's settings. `plain` does without them;
   `planned` starts it with `creation`. */
#define CREATE(attributes, plain, planned, by, no_memory)         \
    struct creation *creation = NULL;                             \
    struct creation plan = { .run = { .by = run },                \
                             .argument = argument,                \
                             .domain = memprof_domain_hold(),     \
                             .label = tally_label_get(),          \
                             .is_taken = 1 };                     \
    int error = no_memory;                                        \
                                                                  \
    plan_stack(&plan, attributes, CALLER);                        \
    if (plan.domain != NULL || plan.label != 0 || plan.site != 0) \
        creation = take_slot();                                   \
    if (plan.domain == NULL && creation == NULL)                  \
        return plain;                                             \
    if (creation != NULL) {                                       \
        *creation = plan;                                         \
        error = planned;                                          \
    }                                                             \
    if (error != 0 && plan.domain != NULL)                        \
        memprof_domain_drop(plan.domain);                         \
    if (error != 0 && creation != NULL)                           \
        give_back(creation);                                      \
    return error

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*run)(void *), void *argument)
{
    CREATE(attributes, REAL(pthread_create)(thread, attributes, run, argument),
           REAL(pthread_create)(thread, attributes, begin, creation),
           by_pthread, EAGAIN);
}

extern HIDDEN __typeof__(pthread_create) own_pthread_create __THROWNL
    __attribute__((alias("pthread_create")));

_Static_assert(thrd_success == 0, "any other result is an error");

EXPORT int thrd_create(thrd_t *thread, thrd_start_t run, void *argument)
{
    CREATE(NULL, REAL(thrd_create)(thread, run, argument),
           REAL(thrd_create)(thread, begin_thrd, creation), by_thrd,
           thrd_nomem);
}

EXPORT int clone(int (*run)(void *), void *stack, int flags, void *argument,
                 ...)
{
    bool is_sharing = (flags & CLONE_VM) != 0 && (flags & CLONE_SETTLS) == 0;
    pid_t *parent_thread, *child_thread;
    void *tls;
    va_list rest;
    int result;

    va_start(rest, argument);
    parent_thread = va_arg(rest, pid_t *);
    tls = va_arg(rest, void *);
    child_thread = va_arg(rest, pid_t *);
    va_end(rest);
    if (is_sharing)
        thread_share();
    result = REAL(clone)(run, stack, flags, argument, parent_thread, tls,
                         child_thread);
    if (is_sharing && (result < 0 || (flags & CLONE_VFORK) != 0))
        thread_unshare();
    return result;
}

int children_vfork_failed(int error);

int children_vfork_failed(int error)
{
    errno = error;
    return -1;
}

__asm__(".text\n"
        ".globl vfork\n"
        ".type vfork, @function\n"
        ".p2align 4\n"
        "vfork:\n"
        ".cfi_startproc\n"
        "endbr64\n"
        "subq $8, %rsp\n.cfi_adjust_cfa_offset 8\n"
        "call thread_share\n"
        "addq $8, %rsp\n.cfi_adjust_cfa_offset -8\n"
        "popq %rdi\n.cfi_adjust_cfa_offset -8\n.cfi_register %rip, %rdi\n"
        "movl $58, %eax\n" /* vfork; the kernel keeps rdi */
        "syscall\n"
        "pushq %rdi\n.cfi_adjust_cfa_offset 8\n.cfi_offset %rip, -8\n"
        "testl %eax, %eax\n"
        "jz 1f\n" /* the child shares until it is gone */
        "pushq %rax\n.cfi_adjust_cfa_offset 8\n"
        "call thread_unshare\n"
        "popq %rax\n.cfi_adjust_cfa_offset -8\n"
        "cmpl $-4095, %eax\n"
        "jae 2f\n"
        "1: ret\n"
        "2: negl %eax\n"
        "movl %eax, %edi\n"
        "jmp children_vfork_failed\n"
        ".cfi_endproc\n"
        ".size vfork, . - vfork\n");
