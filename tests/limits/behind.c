/* SPDX-License-Identifier: Apache-2.0 */
/* behind.c - scopes with and without counted malloc: linked or loaded */
#include <errno.h>
#include <stdlib.h>

#include "tally/limits.h"
#include "tests/limits/expect.h"

int behind(int is_counted);

static bool can_allocate(size_t size)
{
    void *volatile block = malloc(size);

    free(block);
    return block != NULL;
}

int behind(int is_counted)
{
    int wanted = is_counted ? 0 : -ENOTSUP;
    struct limit_token token = { 0 };
    struct limit_scope outer, scope;

    expect("wrong", "is told first",
           limits_begin_token(&scope, NULL, LIMIT_FLAG) == -EINVAL);
    expect("outer", "begins",
           limits_begin_allocation(&outer, 1 << 16, LIMIT_ENOMEM) == wanted);
    expect("live", "begins",
           limits_begin_live(&scope, 1, LIMIT_FLAG) == wanted);
    limits_end(&scope, NULL);
    expect("global", "begins",
           limits_begin_global(&scope, LIMIT_FLAG) == wanted);
    limits_end(&scope, NULL);
    expect("token", "begins",
           limits_begin_token(&scope, &token, LIMIT_FLAG) == wanted);
    limits_end(&scope, NULL);
    expect("shared", "begins",
           limits_begin_shared(&scope, 1, LIMIT_FLAG) == wanted);
    limits_end(&scope, NULL);
    limits_mask_begin();
    expect("masked", "it passes", can_allocate(1 << 20));
    limits_mask_end();
    expect("limit", "as was said", can_allocate(1 << 20) == !is_counted);
    expect("poll", "as well", limits_interrupted() == is_counted);
    limits_set_global(1);
    expect("threshold", "as well",
           limits_on_threshold(&outer, 1, NULL, NULL) ==
               (is_counted ? 0 : -EINVAL));
    expect("end", "as well",
           limits_end(&outer, NULL) == (is_counted ? 1 : -EINVAL));
    limits_set_global(-1);
    return expect_status();
}
