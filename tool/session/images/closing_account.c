/* SPDX-License-Identifier: Apache-2.0 */
/* closing_account.c - sums and notices of what was recorded */
#include "tool/session/images/closing_account.h"

#include <stdio.h>
#include <string.h>

#include "format/ledger/ledger_stacks.h"
#include "tool/text/escape.h"

void closing_account_add_totals(struct closing_account *account,
                                const struct ledger_snapshot *snapshot)
{
    struct ledger_reader reader;
    struct ledger_cursor cursor = { 0 };
    struct ledger_site_view site;
    int result;

    if (ledger_reader_open(&reader, snapshot->bytes, snapshot->size) !=
        LEDGER_E_OK)
        return;
    while ((result = ledger_reader_next_site(&reader, &cursor, &site)) > 0) {
        const struct ledger_counter *counter = &site.counter;

        if (site.kind != LEDGER_SITE_HEAP)
            continue;
        account->allocations += counter->alloc_blocks;
        account->live_blocks += site.inherited_blocks + counter->alloc_blocks -
                                counter->free_blocks;
        account->live_bytes +=
            site.inherited_bytes + counter->alloc_bytes - counter->free_bytes;
    }
    account->is_readable = result == 0;
    account->is_estimate = ledger_reader_sample_interval(&reader) > 1;
}

static bool is_known(const struct closing_account *account,
                     const struct closing_notice *notice)
{
    for (uint32_t i = 0; i < account->notice_count; i++) {
        if (account->notices[i].code == notice->code &&
            strcmp(account->notices[i].text, notice->text) == 0)
            return true;
    }
    return false;
}

static void add_notice(struct closing_account *account,
                       const struct ledger_notice_view *view)
{
    struct closing_notice notice = { .code = view->code };
    size_t length = view->text.length;

    if (length >= sizeof notice.text)
        length = sizeof notice.text - 1;
    if (length > 0)
        memcpy(notice.text, view->text.bytes, length);
    escape_here(ESCAPE_TERMINAL, notice.text);
    if (is_known(account, &notice))
        return;
    if (account->notice_count < CLOSING_NOTICE_CAPACITY)
        account->notices[account->notice_count++] = notice;
    else
        account->more_notices++;
}

void closing_account_add_notices(struct closing_account *account,
                                 const struct ledger_snapshot *snapshot)
{
    struct ledger_reader reader;
    struct ledger_cursor cursor = { 0 };
    struct ledger_notice_view view;

    if (ledger_reader_open(&reader, snapshot->bytes, snapshot->size) !=
        LEDGER_E_OK)
        return;
    while (ledger_reader_next_notice(&reader, &cursor, &view) > 0)
        add_notice(account, &view);
    for (uint32_t i = 0; i < LEDGER_COUNT_COUNT; i++)
        account->counts[i] +=
            ledger_reader_count(&reader, (enum ledger_count)i);
}
