/* SPDX-License-Identifier: Apache-2.0 */
/*
 * children.c - threads, and children that share our memory: vfork and clone
 *
 * A new thread is in the domain of its creator, and begins with its label. Only
 * where that is not the first domain of tally/memprof.h, or is a label, is
 * there anything to do; what it takes lies in pages of our own, for nothing
 * here may allocate. libc's thrd_create does
 * not come by its pthread_create.
 *
 * Children that share our memory change the parent's heap, so their calls are
 * recorded in the parent's ledger, and need nothing but this: while such a
 * child runs on its parent's TLS, the kernel keeps no rseq area for it.
 *
 * vfork returns twice on one stack. The child may overwrite the return address
 * that the parent still needs, so it is kept in a register over the system
 * call.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>

#include "core/base/own_memory.h"
#include "ledger/record/attach.h"
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
};

static struct own_memory own_pages = OWN_MEMORY_OF("own_pages");

/* In the new thread. */
static struct creation enter(void *created)
{
    struct creation creation = *(struct creation *)created;

    own_memory_free(&own_pages, created, sizeof creation);
    if (creation.domain != NULL)
        memprof_domain_enter(creation.domain);
    tally_label_use(creation.label);
    return creation;
}

static void *begin(void *created)
{
    struct creation creation = enter(created);

    return creation.run.by_pthread(creation.argument);
}

static int begin_thrd(void *created)
{
    struct creation creation = enter(created);

    return creation.run.by_thrd(creation.argument);
}

/*
 * Create a thread in its creator's domain. `plain` does without that; `planned`
 * makes it begin by what `creation` says.
 */
#define CREATE(plain, planned, by, no_memory)                            \
    struct memprof_domain *domain = memprof_domain_hold();               \
    uint32_t label = tally_label_get();                                  \
    struct creation *creation = NULL;                                    \
    int error = no_memory;                                               \
                                                                         \
    if (domain != NULL || label != 0)                                    \
        creation = own_memory_alloc(&own_pages, sizeof *creation);       \
    if (domain == NULL && creation == NULL)                              \
        return plain;                                                    \
    if (creation != NULL) {                                              \
        *creation =                                                      \
            (struct creation){ { .by = run }, argument, domain, label }; \
        error = planned;                                                 \
    }                                                                    \
    if (error != 0 && domain != NULL)                                    \
        memprof_domain_drop(domain);                                     \
    if (error != 0 && creation != NULL)                                  \
        own_memory_free(&own_pages, creation, sizeof *creation);         \
    return error

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*run)(void *), void *argument)
{
    CREATE(REAL(pthread_create)(thread, attributes, run, argument),
           REAL(pthread_create)(thread, attributes, begin, creation),
           by_pthread, EAGAIN);
}

_Static_assert(thrd_success == 0, "any other result is an error");

EXPORT int thrd_create(thrd_t *thread, thrd_start_t run, void *argument)
{
    CREATE(REAL(thrd_create)(thread, run, argument),
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

#if defined __x86_64__
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
        "jz 1f\n" /* the child goes on sharing until it is gone */
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
#endif
