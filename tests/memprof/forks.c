/* SPDX-License-Identifier: Apache-2.0 */
/* forks.c - a child samples nothing and gets no callback until it starts a
   profile */
#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/memprof/tracker.h"

static void *before;
static struct memprof *profile;

static int run_child(void (*in_child)(void))
{
    pid_t child = fork();
    int status = 1;

    if (child == 0) {
        alarm(60);
        failures = 0;
        forget_all();
        in_child();
        _exit(failures != 0);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    return status;
}

static void samples_nothing(void)
{
    CHECK_IS(memprof_is_sampling(), 0);
    free(before);
    before = NULL;
    for (int i = 0; i < 1000; i++)
        free(realloc(malloc(10), 5000));
    memprof_advance();
    expect("child", 0, 0, 0, 0, 0);
    CHECK_IS(memprof_stop(), -ESRCH);
    CHECK_IS(memprof_discard(profile), 0);
    CHECK_IS(memprof_discard(profile), -EALREADY);
}

static void samples_itself(void)
{
    struct memprof *own = start_at(1);
    void *block = malloc(24);

    free(before); /* not counted here */
    before = NULL;
    free(malloc(3000));
    expect("own", 1, 1, 0, 0, 1);
    CHECK_IS(run_child(samples_nothing), 0);
    memprof_advance();
    free(block);
    expect("own, after a child", 0, 0, 1, 0, 1);
    end(own);
}

static void forks_again(void)
{
    CHECK_IS(run_child(samples_nothing), 0);
    CHECK_IS(run_child(samples_itself), 0);
}

/* Callbacks that wait for the end of the parent's scope; the scope goes on for
   the child's own. */
static void in_scope(void)
{
    struct memprof *own;
    void *block;

    memprof_marshal_end();
    expect("parent's", 0, 0, 0, 0, 0);
    own = start_at(1);
    block = malloc(24);
    expect("in the outer scope", 0, 0, 0, 0, 0);
    memprof_marshal_end();
    expect("its end", 1, 0, 0, 0, 0);
    CHECK_IS(last.source, MEMPROF_MARSHAL);
    free(block);
    end(own);
}

static void stops_in_scope(void)
{
    CHECK_IS(memprof_stop(), -ESRCH);
    expect("parent's", 0, 0, 0, 0, 0);
}

static void check_scopes(void)
{
    void *block;

    memprof_marshal_begin();
    memprof_marshal_begin();
    block = malloc(48);
    CHECK_IS(run_child(in_scope), 0);
    CHECK_IS(run_child(stops_in_scope), 0);
    memprof_marshal_end();
    memprof_marshal_end();
    expect("waited", 1, 0, 0, 0, 0);
    free(block);
    expect("freed", 0, 0, 0, 1, 0);
}

static void *fork_in_callback(const struct memprof_allocation *allocation,
                              void *context)
{
    (void)context;
    CHECK_IS(allocation->bytes, 77);
    CHECK_IS(run_child(samples_itself), 0);
    return NULL;
}

static pid_t forked;

static void *fork_and_return(const struct memprof_allocation *allocation,
                             void *context)
{
    if (allocation->bytes == 78)
        forked = fork();
    return track_alloc_minor(allocation, context);
}

static int forks_next;

static void fork_once(void)
{
    if (forks_next) {
        forks_next = 0;
        forked = fork();
    }
}

static void *promote_and_fork(void *minor, void *context)
{
    void *item = track_promote(minor, context);

    fork_once();
    return item;
}

static void dealloc_and_fork(void *minor, void *context)
{
    track_dealloc_minor(minor, context);
    fork_once();
}

static void child_goes_on(const char *what)
{
    int status = 1;

    if (forked == 0) {
        alarm(60);
        forget_all();
        for (int i = 0; i < 1000; i++)
            free(realloc(malloc(10), 5000));
        memprof_advance();
        expect(what, 0, 0, 0, 0, 0);
        _exit(failures != 0);
    }
    CHECK(forked > 0 && waitpid(forked, &status, 0) == forked);
    CHECK_IS(status, 0);
}

static void check_return_from_callbacks(void)
{
    struct memprof_tracker forking = tracker;
    void *block, *resized;

    forking.alloc_minor = fork_and_return;
    forking.promote = promote_and_fork;
    forking.dealloc_minor = dealloc_and_fork;
    CHECK_IS(memprof_start(1, 0, &forking, &profile), 0);
    block = malloc(78);
    child_goes_on("returns from alloc");
    forks_next = 1;
    memprof_advance();
    child_goes_on("returns from promote");
    free(block);
    resized = malloc(50);
    forks_next = 1;
    free(malloc(40));
    child_goes_on("returns from dealloc");
    forks_next = 1;
    resized = realloc(resized, 60);
    child_goes_on("returns from dealloc in realloc");
    free(resized);
    end(profile);
    forget_all();
}

/* The child is in the middle of a realloc, whose callbacks are its parent's. */
static void check_fork_in_realloc(void)
{
    struct memprof_tracker forking = tracker;
    int status = 1;

    forking.alloc_minor = fork_and_return;
    forget_all();
    CHECK_IS(memprof_start(1, 0, &forking, &profile), 0);
    before = realloc(malloc(77), 78);
    if (forked == 0) {
        free(before);
        expect("forked in a realloc", 2, 0, 0, 0, 0);
        _exit(failures != 0);
    }
    CHECK(forked > 0 && waitpid(forked, &status, 0) == forked);
    CHECK_IS(status, 0);
    free(before);
    expect("has forked in a realloc", 2, 0, 0, 2, 0);
    end(profile);
}

/* Fork, and make the child forget its parent's state. */
static void fork_and_ask(void)
{
    fork_once();
    if (forked == 0)
        CHECK_IS(memprof_is_sampling(), 0);
}

static void *fork_in_alloc(const struct memprof_allocation *allocation,
                           void *context)
{
    void *item = track_alloc_minor(allocation, context);

    fork_and_ask();
    return item;
}

static void *fork_in_promote(void *minor, void *context)
{
    void *item = track_promote(minor, context);

    fork_and_ask();
    return item;
}

/* The callback of one of two blocks forks; the other block's callback is the
   parent's. */
static void check_fork_before_other(int in_scope)
{
    struct memprof_tracker forking = tracker;
    void *young, *other;

    forget_all();
    forked = -1;
    if (in_scope)
        forking.alloc_minor = fork_in_alloc;
    else
        forking.promote = fork_in_promote;
    CHECK_IS(memprof_start(1, 0, &forking, &profile), 0);
    if (in_scope)
        memprof_marshal_begin();
    young = malloc(8);
    other = malloc(16);
    forks_next = 1;
    if (in_scope)
        memprof_marshal_end();
    else
        memprof_advance();
    if (forked == 0)
        expect("child, of two blocks", in_scope ? 1 : 2, 0, !in_scope, 0, 0);
    child_goes_on("goes on, of two blocks");
    expect("parent, of two blocks", 2, 0, in_scope ? 0 : 2, 0, 0);
    free(young);
    free(other);
    end(profile);
    forget_all();
}

int main(void)
{
    struct memprof_tracker forking = tracker;

    setvbuf(stderr, NULL, _IONBF, 0);
    profile = start_at(1);
    before = malloc(40);
    CHECK_IS(run_child(samples_nothing), 0);
    CHECK_IS(run_child(samples_itself), 0);
    CHECK_IS(run_child(forks_again), 0);
    expect("parent", 1, 0, 0, 0, 0);
    free(before);
    before = NULL;
    expect("parent, after children", 0, 0, 0, 1, 0);
    check_scopes();
    end(profile);

    forking.alloc_minor = fork_in_callback;
    CHECK_IS(memprof_start(1, 0, &forking, &profile), 0);
    before = malloc(77);
    end(profile);
    check_fork_in_realloc();
    check_return_from_callbacks();
    check_fork_before_other(0);
    check_fork_before_other(1);
    return end_of_test();
}
