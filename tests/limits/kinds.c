/* SPDX-License-Identifier: Apache-2.0 */
/* kinds.c - live scopes, thresholds, budgets of threads and environment */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tally/limits.h"
#include "tests/limits/expect.h"

static bool can_allocate(size_t size)
{
    void *volatile block = malloc(size);

    free(block);
    return block != NULL;
}

static void what_it_holds_is_limited(void)
{
    enum { BLOCKS = 16, SIZE = 1000 };
    struct limit_scope scope;
    void *blocks[BLOCKS];
    uint64_t bytes;
    int made = 0;

    expect("live", "begins",
           limits_begin_live(&scope, 10 * SIZE + 200, LIMIT_ENOMEM) == 0);
    for (int i = 0; i < 1000; i++)
        expect("live", "what is freed does not count", can_allocate(SIZE));
    while (made < BLOCKS && (blocks[made] = malloc(SIZE)) != NULL)
        made++;
    expect("live", "ten blocks", made == 10);
    expect("live", "is hit", limits_interrupted() == 1);
    while (made > 0)
        free(blocks[--made]);
    expect("live", "stays hit", !can_allocate(1));
    expect("live", "holds nothing at the end",
           limits_end(&scope, &bytes) == 1 && bytes == 0);
    limits_begin_live(&scope, 100000, LIMIT_FLAG);
    blocks[0] = malloc(SIZE);
    expect("live", "or so much",
           limits_end(&scope, &bytes) == 0 && bytes >= SIZE &&
               bytes <= SIZE + 24);
    free(blocks[0]);
}

static void it_lives_on_in_a_child(void)
{
    struct limit_scope scope;
    void *block;
    pid_t child;
    int status = -1;

    limits_begin_live(&scope, 10000, LIMIT_ENOMEM);
    block = malloc(6000);
    child = fork();
    if (child == 0) {
        bool is_so = !can_allocate(6000);

        free(block);
        _exit(is_so && limits_end(&scope, NULL) == 1 ? 0 : 1);
    }
    waitpid(child, &status, 0);
    expect("live", "in a child", status == 0);
    expect("live", "and its parent", can_allocate(3000));
    free(block);
    expect("live", "to its end", limits_end(&scope, NULL) == 0);
}

static unsigned calls;
static uint64_t used;

static void on_threshold(void *context, uint64_t bytes)
{
    void *volatile more = malloc(100); /* charged to nothing */

    expect("threshold", "its context", context == &calls);
    expect("threshold", "may allocate", more != NULL);
    free(more);
    expect("threshold", "it is not hit", limits_interrupted() == 0);
    calls++;
    used = bytes;
    errno = EDOM;
}

static void a_threshold_calls_back(void)
{
    struct limit_scope scope;
    struct limit_token token = { 0 };
    void *block;

    expect("threshold", "of no scope",
           limits_on_threshold(&scope, 1, on_threshold, &calls) == -EINVAL);
    limits_begin_allocation(&scope, 10000, LIMIT_ENOMEM);
    expect("threshold", "is set",
           limits_on_threshold(&scope, 8000, on_threshold, &calls) == 0);
    expect("threshold", "not yet", can_allocate(7999) && calls == 0);
    errno = 0;
    expect("threshold", "now", can_allocate(1) && calls == 1 && used == 8000);
    expect("threshold", "leaves errno", errno == 0);
    expect("threshold", "once", can_allocate(1000) && calls == 1);
    limits_on_threshold(&scope, 9500, on_threshold, &calls);
    limits_on_threshold(&scope, 9500, NULL, NULL);
    expect("threshold", "or never", can_allocate(900) && calls == 1);
    expect("threshold", "it goes on", limits_end(&scope, NULL) == 0);

    limits_begin_live(&scope, 100000, LIMIT_FLAG);
    limits_on_threshold(&scope, 50000, on_threshold, &calls);
    for (int i = 0; i < 10; i++)
        can_allocate(40000);
    expect("threshold", "of what lives", calls == 1);
    block = malloc(50000);
    expect("threshold", "is told", calls == 2 && used >= 50000 && used < 50100);
    free(block);
    limits_end(&scope, NULL);

    limits_begin_token(&scope, &token, LIMIT_FLAG);
    limits_on_threshold(&scope, 1, on_threshold, &calls);
    expect("threshold", "of a token", can_allocate(1) && calls == 3);
    limits_end(&scope, NULL);
}

static uint64_t told;

static void note_refused(void *context, uint64_t bytes)
{
    unsigned *count = context;

    ++*count;
    told = bytes;
}

static void a_threshold_waits_in_a_masked_section(void)
{
    struct limit_scope scope, section;
    unsigned count = 0;

    limits_begin_allocation(&scope, 100000, LIMIT_ENOMEM);
    limits_on_threshold(&scope, 1000, note_refused, &count);
    limits_mask_begin();
    limits_begin_mask(&section);
    can_allocate(2000);
    limits_end(&section, NULL);
    can_allocate(10000);
    expect("masked", "is not called", count == 0);
    limits_mask_end();
    can_allocate(1);
    expect("masked", "is called behind it", count == 1 && told == 12001);
    limits_end(&scope, NULL);
}

static unsigned rounds;

static void set_again(void *scope, uint64_t bytes)
{
    static struct limit_scope inner;

    if (++rounds > 100) /* it was called at once, each time */
        return;
    limits_on_threshold(scope, rounds % 2 != 0 ? bytes : 0, set_again, scope);
    if (rounds == 1) { /* nor does another scope call at once */
        limits_begin_allocation(&inner, 100, LIMIT_FLAG);
        limits_on_threshold(&inner, 0, set_again, &inner);
        limits_end(&inner, NULL);
    }
}

/* The threshold is the limit: the request that would reach it is refused. */
static void a_threshold_at_the_limit_is_told_of_a_refusal(void)
{
    struct limit_scope outer, scope;
    unsigned count = 0, others = 0;
    void *volatile block;

    limits_begin_allocation(&outer, 5000, LIMIT_ENOMEM);
    limits_on_threshold(&outer, 2000, note_refused, &others);
    limits_begin_allocation(&scope, 1000, LIMIT_ENOMEM);
    limits_on_threshold(&scope, 1000, note_refused, &count);
    expect("refused", "not yet", can_allocate(999) && count == 0);
    errno = 0;
    expect("refused", "the next fails", !can_allocate(11) && errno == ENOMEM);
    expect("refused", "is told of", count == 1 && told == 1010);
    expect("refused", "once", !can_allocate(3000) && count == 1);
    limits_on_threshold(&scope, SIZE_MAX, note_refused, &count);
    expect("refused", "too much to add", !can_allocate(SIZE_MAX) && count == 2);
    expect("refused", "hit", limits_end(&scope, NULL) == 1);
    expect("refused", "charged to no outer scope", others == 0);
    limits_end(&outer, NULL);

    limits_begin_live(&scope, 1000000, LIMIT_ENOMEM);
    block = malloc(500000);
    limits_on_threshold(&scope, 1000000, note_refused, &count);
    expect("live", "fails", realloc(block, 1001000) == NULL);
    expect("live", "is told of",
           count == 3 && told >= 1001000 && told < 1002000);
    free(block);
    limits_end(&scope, NULL);

    limits_use_sampling(1);
    limits_begin_allocation(&scope, 1000, LIMIT_ENOMEM);
    limits_use_sampling(0);
    limits_on_threshold(&scope, 1000, note_refused, &count);
    expect("sampled", "fails", !can_allocate(1500));
    expect("sampled", "is told of", count == 4 && told == 1512);
    limits_end(&scope, NULL);
}

static void a_threshold_is_set_in_its_own_callback(void)
{
    struct limit_scope scope;
    void *volatile block;

    limits_begin_allocation(&scope, 100000, LIMIT_ENOMEM);
    limits_on_threshold(&scope, 1000, set_again, &scope);
    expect("threshold", "set again, waits", can_allocate(2000) && rounds == 1);
    for (unsigned i = 2; i < 20; i++)
        expect("threshold", "for the next allocation",
               can_allocate(1) && rounds == i);
    expect("threshold", "or for no other",
           limits_on_threshold(&scope, 0, NULL, NULL) == 0 && can_allocate(1) &&
               rounds == 19);
    limits_end(&scope, NULL);

    rounds = 0;
    limits_begin_live(&scope, 1 << 20, LIMIT_ENOMEM);
    limits_on_threshold(&scope, 1000, set_again, &scope);
    block = malloc(2000);
    expect("threshold", "of what lives, too", rounds == 1);
    free(block);
    expect("threshold", "is no matter of free", rounds == 1);
    expect("threshold", "but of crossing it", can_allocate(1) && rounds == 1);
    expect("threshold", "once more", can_allocate(2000) && rounds == 2);
    limits_end(&scope, NULL);
}

static struct limit_scope shared;

static void *draw(void *sum)
{
    struct limit_scope scope;
    uint64_t bytes;
    void *volatile block;

    expect("shared", "joins", limits_join(&scope, &shared, LIMIT_ENOMEM) == 0);
    do {
        block = malloc(100);
        free(block);
    } while (block != NULL);
    expect("shared", "is hit", limits_end(&scope, &bytes) == 1);
    *(uint64_t *)sum = bytes;
    return NULL;
}

static void threads_share_a_budget(void)
{
    enum { THREADS = 4, BUDGET = 1 << 20 };
    unsigned count = 0;
    struct limit_scope other;
    pthread_t threads[THREADS];
    uint64_t sums[THREADS], sum = 0, bytes;

    expect("shared", "of none",
           limits_join(&other, &shared, LIMIT_FLAG) == -EINVAL);
    expect("shared", "begins",
           limits_begin_shared(&shared, BUDGET, LIMIT_FLAG) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, draw, &sums[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        sum += sums[i];
    expect("shared", "no more", sum < BUDGET);
    expect("shared", "and hardly less",
           sum >= BUDGET - THREADS * (BUDGET / 256 + 100));
    expect("shared", "all see it", limits_interrupted() == 1);
    expect("shared", "its end has all",
           limits_end(&shared, &bytes) == 1 && bytes == sum);
    expect("shared", "is over",
           limits_join(&other, &shared, LIMIT_FLAG) == -EINVAL);

    limits_begin_shared(&shared, 10000, LIMIT_ENOMEM);
    expect("shared", "does not join its thread", can_allocate(20000));
    expect("shared", "until it asks",
           limits_join(&other, &shared, LIMIT_ENOMEM) == 0);
    expect("shared", "alone", can_allocate(9999) && !can_allocate(1));
    expect("shared", "once", limits_end(&other, &bytes) == 1 && bytes == 9999);
    expect("shared", "fails for its thread, too",
           limits_interrupted() == 1 && !can_allocate(1));
    expect("shared", "to its end",
           limits_end(&shared, &bytes) == 1 && bytes == 9999);

    limits_begin_shared(&shared, 10000, LIMIT_FLAG);
    limits_join(&other, &shared, LIMIT_FLAG);
    expect("shared", "has a threshold",
           limits_on_threshold(&other, 8000, note_refused, &count) == 0);
    expect("shared", "that a block passes with the limit",
           can_allocate(4000) && count == 0 && can_allocate(7000) &&
               count == 1 && told == 11000);
    limits_end(&shared, NULL);
}

static void the_environment_has_budgets(void)
{
    setenv("TALLY_LIMITS", "request=3K,cache=1G", 1);
    expect("environment", "K", limits_budget("request", 7) == 3072);
    expect("environment", "G", limits_budget("cache", 7) == 1 << 30);
    expect("environment", "none", limits_budget("other", 7) == 7);
    unsetenv("TALLY_LIMITS");
    expect("environment", "nothing", limits_budget("request", 7) == 7);
}

int main(void)
{
    what_it_holds_is_limited();
    it_lives_on_in_a_child();
    a_threshold_calls_back();
    a_threshold_waits_in_a_masked_section();
    a_threshold_is_set_in_its_own_callback();
    a_threshold_at_the_limit_is_told_of_a_refusal();
    threads_share_a_budget();
    the_environment_has_budgets();
    return expect_status();
}
