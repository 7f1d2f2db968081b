/* SPDX-License-Identifier: Apache-2.0 */
/* scopes.c - scopes in a real program: nested, masked, in threads, after
   fork */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tally/limits.h"
#include "tests/limits/expect.h"

/* Return true if there is memory; it is freed at once. */
static bool can_allocate(size_t size)
{
    void *volatile block = malloc(size);

    free(block);
    return block != NULL;
}

static void scopes_nest(void)
{
    struct limit_scope outer, inner;
    uint64_t bytes;

    limits_begin_allocation(&outer, 10000, LIMIT_ENOMEM);
    for (int i = 0; i < 3; i++) {
        limits_begin_allocation(&inner, 3000, LIMIT_ENOMEM);
        expect("nested", "it passes", can_allocate(2999));
        expect("nested", "the inner limit", !can_allocate(1));
        expect("nested", "is the inner one's",
               limits_end(&inner, &bytes) == 1 && bytes == 2999);
        expect("nested", "and not the outer one's", limits_interrupted() == 0);
    }
    limits_begin_allocation(&inner, 3000, LIMIT_FLAG);
    expect("nested", "what is left outside", can_allocate(1002));
    expect("nested", "is all there is", !can_allocate(1));
    expect("nested", "and interrupts", limits_interrupted() == 1);
    expect("nested", "but is not the inner one's",
           limits_end(&inner, &bytes) == 0 && bytes == 1002);
    expect("nested", "but the outer one's",
           limits_end(&outer, &bytes) == 1 && bytes == 9999);
    expect("nested", "and all is well", can_allocate(1 << 20));
}

static void masks_protect(void)
{
    struct limit_scope scope;

    limits_mask_begin();
    limits_begin_allocation(&scope, 10, LIMIT_ENOMEM);
    expect("masked", "it does not fail", can_allocate(100));
    expect("masked", "nor interrupt", limits_interrupted() == 0);
    limits_mask_end();
    expect("masked", "until the end", limits_interrupted() == 1);
    expect("masked", "of the section", !can_allocate(0));
    limits_mask_end();
    expect("masked", "which there is one of", limits_interrupted() == 1);
    expect("masked", "hit", limits_end(&scope, NULL) == 1);
}

static struct limit_token token;

static void set_token(int signal)
{
    (void)signal;
    token.set = 1;
}

static void a_handler_sets_a_token(void)
{
    struct limit_scope scope;

    token.set = 0;
    signal(SIGALRM, set_token);
    limits_begin_token(&scope, &token, LIMIT_ENOMEM);
    expect("handler", "nothing is set", can_allocate(1 << 20));
    alarm(1);
    while (can_allocate(100))
        ;
    expect("handler", "it is interrupted", limits_interrupted() == 1);
    expect("handler", "hit", limits_end(&scope, NULL) == 1);
    expect("handler", "and all is well", can_allocate(100));
}

static void *allocate_in_thread(void *scope)
{
    expect("thread", "it inherits nothing", can_allocate(1 << 20));
    expect("thread", "nor is it interrupted", limits_interrupted() == 0);
    expect("thread", "the scope is not its own",
           limits_end(scope, NULL) == -EINVAL);
    return NULL;
}

static void threads_are_on_their_own(void)
{
    struct limit_scope scope;
    pthread_t thread;
    uint64_t before, after;
    struct limit_scope counting;

    limits_begin_allocation(&counting, UINT64_MAX, LIMIT_FLAG);
    pthread_create(&thread, NULL, allocate_in_thread, &scope);
    pthread_join(thread, NULL);
    limits_end(&counting, &before); /* allocations of pthread_create() itself */
    memset(&scope, 0, sizeof scope);
    limits_begin_allocation(&scope, 1 << 19, LIMIT_FLAG);
    pthread_create(&thread, NULL, allocate_in_thread, &scope);
    pthread_join(thread, NULL);
    expect("thread", "what others allocate does not count",
           limits_end(&scope, &after) == 0 && after <= before);
}

static int child_status(pid_t child)
{
    int status = -1;

    waitpid(child, &status, 0);
    return status;
}

static void in_child(struct limit_scope *outer, struct limit_scope *inner)
{
    uint64_t bytes;

    expect("child", "it goes on", can_allocate(300));
    expect("child", "to the limit", !can_allocate(200));
    expect("child", "of its scope",
           limits_end(inner, &bytes) == 1 && bytes == 800);
    expect("child", "and the next", can_allocate(100));
    expect("child", "which has not hit",
           limits_end(outer, &bytes) == 0 && bytes == 1000);
    limits_begin_allocation(inner, 100, LIMIT_ENOMEM);
    expect("child", "a scope of its own", !can_allocate(100));
    expect("child", "has hit", limits_end(inner, NULL) == 1);
    fflush(stderr);
    _exit(expect_status());
}

static void a_child_goes_on(void)
{
    struct limit_scope outer, inner;
    uint64_t bytes;
    pid_t child;

    limits_begin_allocation(&outer, 10000, LIMIT_ENOMEM);
    expect("parent", "100", can_allocate(100));
    limits_begin_allocation(&inner, 1000, LIMIT_ENOMEM);
    expect("parent", "500", can_allocate(500));
    child = fork();
    if (child == 0)
        in_child(&outer, &inner);
    expect("parent", "the child ends well", child_status(child) == 0);
    expect("parent", "nothing has changed",
           limits_interrupted() == 0 && can_allocate(499));
    expect("parent", "of its scopes",
           limits_end(&inner, &bytes) == 0 && bytes == 999);
    expect("parent", "of both",
           limits_end(&outer, &bytes) == 0 && bytes == 1099);
}

/* A child first ends its scope. */
static void a_child_ends_a_scope(void)
{
    struct limit_scope scope;
    uint64_t bytes;
    pid_t child;

    limits_begin_allocation(&scope, 1000, LIMIT_FLAG);
    expect("parent", "1000", can_allocate(1000));
    child = fork();
    if (child == 0)
        _exit(limits_interrupted() == 1 && limits_end(&scope, &bytes) == 1 &&
                      bytes == 1000 && limits_interrupted() == 0 &&
                      can_allocate(1)
                  ? 0
                  : 1);
    expect("parent", "its child has ended it", child_status(child) == 0);
    expect("parent", "and so has it", limits_end(&scope, NULL) == 1);
}

static jmp_buf back;

static void leave_open(void)
{
    struct limit_scope inner;

    limits_begin_allocation(&inner, 100, LIMIT_ENOMEM);
    longjmp(back, 1);
}

static void a_scope_ends_what_is_inside(void)
{
    struct limit_scope outer;

    limits_begin_allocation(&outer, 10000, LIMIT_ENOMEM);
    if (setjmp(back) == 0)
        leave_open();
    expect("left", "not hit", limits_end(&outer, NULL) == 0);
    expect("left", "and all is well", can_allocate(1 << 20));
}

/* Charge more bytes than can be added up. */
static void too_much_hits(void)
{
    for (size_t less = 0; less < 20; less++) {
        struct limit_scope scope;
        uint64_t bytes;

        limits_begin_allocation(&scope, 10000, LIMIT_ENOMEM);
        expect("too much", "fails", !can_allocate(SIZE_MAX - less));
        expect("too much", "and hits", limits_end(&scope, &bytes) == 1);
        expect("too much", "and is not charged", bytes == 0);
    }
}

int main(void)
{
    scopes_nest();
    too_much_hits();
    masks_protect();
    a_handler_sets_a_token();
    threads_are_on_their_own();
    a_child_goes_on();
    a_child_ends_a_scope();
    a_scope_ends_what_is_inside();
    return expect_status();
}
