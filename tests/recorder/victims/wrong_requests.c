/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong_requests.c - products that overflow and impossible alignments
 *
 * Each is refused as by libc, and counts only as failed.
 */
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

int main(void)
{
    volatile size_t enormous = (size_t)1 << 63, odd = 24;
    void *block = NULL;

    errno = 0;
    REQUIRE(victim_keep(calloc(SIZE_MAX / 2, 4)) == NULL && errno == ENOMEM);
    errno = 0;
    REQUIRE(victim_keep(reallocarray(NULL, SIZE_MAX / 2, 4)) == NULL);
    REQUIRE(errno == ENOMEM);
    REQUIRE(posix_memalign(&block, odd, 100) == EINVAL && block == NULL);
    REQUIRE(posix_memalign(&block, 3, 100) == EINVAL && block == NULL);
    REQUIRE(posix_memalign(&block, 64, SIZE_MAX - 100) == ENOMEM);
    errno = 0;
    REQUIRE(victim_keep(memalign(enormous, 100)) == NULL);
    REQUIRE(errno != 0);
    errno = 0;
    REQUIRE(victim_keep(pvalloc(SIZE_MAX - 10)) == NULL && errno == ENOMEM);
    /* libc rounds the alignment up */
    REQUIRE(victim_keep(memalign(odd, 100)) != NULL);
    return 0;
}
