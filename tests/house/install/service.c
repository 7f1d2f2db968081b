/* SPDX-License-Identifier: Apache-2.0 */
/* service.c - a program that uses an installed libtally */
#include <stdio.h>
#include <string.h>

#include <tally/error.h>
#include <tally/hook.h>

int main(void)
{
    static const int place;
    struct tally_site_account account;

    tally_account_start();

    uint32_t site = tally_site_open((uintptr_t)&place);
    tally_reference first = tally_hook_alloc(site, 100);
    tally_reference second = tally_hook_alloc(site, 20);

    tally_hook_free(first, 100);
    account = tally_site_read(second);
    printf("live %llu total %llu: %s\n", (unsigned long long)account.live_bytes,
           (unsigned long long)account.total_bytes, tally_error_sentence(0));
    return 0;
}
