/* SPDX-License-Identifier: Apache-2.0 */
/* test_live_blocks.c - random calls, compared with a simple, slow model */
#include "tool/model/calls/calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/fakes/random_sequence.h"

/* The model: a list of blocks. */
struct model {
    struct {
        uint64_t address, size, caller;
    } blocks[4096];
    size_t count;
    uint64_t allocs, bytes, frees, live, peak, failed, foreign, lost;
    uint64_t live_by_caller[16], peak_by_caller[16];
};

static bool model_free(struct model *model, uint64_t address)
{
    for (size_t i = 0; i < model->count; i++) {
        if (model->blocks[i].address == address) {
            model->frees++;
            model->live -= model->blocks[i].size;
            model->live_by_caller[model->blocks[i].caller] -=
                model->blocks[i].size;
            model->blocks[i] = model->blocks[--model->count];
            return true;
        }
    }
    return false;
}

static void model_allocate(struct model *model, uint64_t result,
                           uint64_t caller, uint64_t size)
{
    if (result == 0) {
        model->failed++;
        return;
    }
    if (model_free(model, result))
        model->lost++;
    model->blocks[model->count].address = result;
    model->blocks[model->count].caller = caller;
    model->blocks[model->count++].size = size;
    model->allocs++;
    model->bytes += size;
    model->live += size;
    model->live_by_caller[caller] += size;
    if (model->live > model->peak) {
        model->peak = model->live;
        memcpy(model->peak_by_caller, model->live_by_caller,
               sizeof model->peak_by_caller);
    }
}

static void model_add(struct model *model, const struct mem_trace_event *event)
{
    bool frees =
        event->pointer != 0 && (event->op == MEM_TRACE_FREE ||
                                (event->op == MEM_TRACE_REALLOC &&
                                 (event->result != 0 || event->size == 0)));
    uint64_t size = event->op == MEM_TRACE_CALLOC ? event->size * event->count
                                                  : event->size;

    if (frees && !model_free(model, event->pointer))
        model->foreign++;
    if (event->op == MEM_TRACE_FREE ||
        (frees && event->result == 0 && event->size == 0))
        return;
    model_allocate(model, event->result, event->caller, size);
}

static struct mem_trace_event random_event(struct random_sequence *random)
{
    struct mem_trace_event event = {
        .op = (uint8_t)(random_below(random, MEM_TRACE_OP_COUNT)),
        .caller = random_below(random, 16),
        .thread = 7, /* no thread overtakes it */
    };
    uint64_t address = random_below(random, 700) * 16;

    if (event.op == MEM_TRACE_FREE) {
        event.pointer = address;
        return event;
    }
    event.result = random_below(random, 20) == 0 ? 0 : address;
    event.size = random_below(random, 8) == 0 ? 0 : random_below(random, 500);
    if (event.op == MEM_TRACE_REALLOC)
        event.pointer = random_below(random, 700) * 16;
    if (event.op == MEM_TRACE_CALLOC)
        event.count = random_below(random, 10);
    return event;
}

static void assert_same(const struct call_accounts *accounts,
                        const struct model *model)
{
    assert_int_equal(accounts->sum.alloc_blocks, model->allocs);
    assert_int_equal(accounts->sum.alloc_bytes, model->bytes);
    assert_int_equal(accounts->sum.free_blocks, model->frees);
    assert_int_equal(call_accounts_live_bytes(accounts), model->live);
    assert_int_equal(call_accounts_live_blocks(accounts), model->count);
    assert_int_equal(accounts->blocks.count, model->count);
    assert_int_equal(accounts->sum.peak_bytes, model->peak);
    assert_int_equal(accounts->sum.failed, model->failed);
    assert_int_equal(accounts->foreign_frees, model->foreign);
    assert_int_equal(accounts->lost_frees, model->lost);
}

static void random_calls_agree_with_the_model(void **state)
{
    enum { ROUNDS = 30000 };

    struct call_accounts *accounts = calloc(1, sizeof *accounts);
    struct model *model = calloc(1, sizeof *model);
    struct random_sequence random = { .state = 1 };

    (void)state;
    assert_non_null(accounts);
    assert_non_null(model);
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct mem_trace_event event = random_event(&random);

        call_accounts_add(accounts, &event);
        model_add(model, &event);
        assert_same(accounts, model);
    }
    assert_int_equal(accounts->site_count, 16);
    call_accounts_finish(accounts);
    for (size_t i = 0; i < accounts->site_count; i++) {
        const struct call_site *site = &accounts->sites[i];

        assert_int_equal(site->amounts.alloc_bytes - site->amounts.free_bytes,
                         model->live_by_caller[site->caller]);
        assert_int_equal(site->at_peak_bytes,
                         model->peak_by_caller[site->caller]);
    }
    call_accounts_close(accounts);
    free(accounts);
    free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_calls_agree_with_the_model),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
