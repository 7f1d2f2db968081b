// SPDX-License-Identifier: Apache-2.0
//
// guards.cpp - scopes that end with their block, also by exceptions
#include <cerrno>
#include <cstdlib>
#include <new>

#include <thread>

#include "tally/label.h"
#include "tally/limits.h"
#include "tally/mem_trace.h"
#include "tally/memprof.h"
#include "tests/limits/expect.h"

namespace
{

bool can_allocate(std::size_t size)
{
    void *volatile block = std::malloc(size);

    std::free(block);
    return block != nullptr;
}

[[gnu::noinline]] void guarded(bool throws)
{
    tally::limit_guard guard;

    expect("guard", "begins",
           limits_begin_allocation(guard.scope(), 1000, LIMIT_ENOMEM) == 0);
    if (throws) {
        char *volatile block = new char[2000];

        delete[] block;
    }
    expect("guard", "limits", !can_allocate(1000));
}

[[gnu::noinline]] void throw_out_of_a_mask()
{
    tally::mask_guard mask;

    expect("mask", "it masks", can_allocate(2000));
    throw 1;
}

void a_mask_ends()
{
    tally::limit_guard guard;

    limits_begin_allocation(guard.scope(), 1000, LIMIT_ENOMEM);
    try {
        throw_out_of_a_mask();
    } catch (int) {
    }
    expect("mask", "and ends by an exception",
           limits_interrupted() == 1 && !can_allocate(1));
}

unsigned told;

void *note_block(const memprof_allocation *, void *)
{
    told++;
    return nullptr;
}

void note_event(uint8_t, void *, void *, ...)
{
    told++;
}

template <typename Guard> [[gnu::noinline]] void throw_out_of()
{
    Guard guard;

    told = 0;
    expect("guard", "nothing is told of in it", can_allocate(100) && told == 0);
    throw 1;
}

template <typename Guard> void leave()
{
    try {
        throw_out_of<Guard>();
    } catch (int) {
    }
    told = 0;
    expect("guard", "but after it", can_allocate(100) && told > 0);
}

void marshal_scopes_and_locks_end()
{
    memprof_tracker tracker = {};
    memprof *profile;

    tracker.alloc_minor = note_block;
    memprof_start(1, 0, &tracker, &profile);
    leave<tally::marshal_guard>();
    memprof_stop();
    memprof_discard(profile);

    mbed_mem_trace_set_callback(note_event);
    leave<tally::mem_trace_guard>();
    std::thread([] { can_allocate(1); }).join(); /* waits for no lock */
    mbed_mem_trace_set_callback(nullptr);
}

[[gnu::noinline]] void throw_out_of_a_label(uint32_t before)
{
    tally::label_guard tenant("tenant", "a");

    /* Without a recording there are no labels. */
    expect("label", "is used",
           tally_label_get() == 0 || tally_label_get() != before);
    throw tally_label_get();
}

void a_label_ends()
{
    uint32_t before = tally_label_get();

    try {
        throw_out_of_a_label(before);
    } catch (uint32_t used) {
        tally::label_guard again(used);

        expect("label", "is used again", tally_label_get() == used);
    }
    expect("label", "the one before", tally_label_get() == before);
}

void a_guard_ends()
{
    uint64_t bytes = 0;

    guarded(false);
    expect("guard", "has ended", can_allocate(5000));
    try {
        guarded(true);
        expect("guard", "throws", false);
    } catch (const std::bad_alloc &) {
        expect("guard", "has ended by an exception", can_allocate(5000));
    }
    {
        tally::limit_guard guard, other;

        limits_begin_allocation(guard.scope(), 1000, LIMIT_ENOMEM);
        limits_begin_allocation(other.scope(), 500, LIMIT_ENOMEM);
        expect("guard", "counts", can_allocate(300));
        expect("guard", "says so", other.end(&bytes) == 0 && bytes == 300);
        expect("guard", "once", other.end() == -EINVAL);
        expect("guard", "the outer one as well", !can_allocate(800));
        expect("guard", "and was hit", guard.end() == 1);
    }
}

[[gnu::noinline]] void unguarded(int depth)
{
    limit_scope scope;

    limits_begin_allocation(&scope, 1000, LIMIT_ENOMEM);
    if (depth == 0)
        throw depth;
    unguarded(depth - 1);
    limits_end(&scope, nullptr);
}

/* Also if the exception itself has to be allocated. */
void an_exception_leaves_them()
{
    for (int i = 0; i < 10; i++) {
        try {
            unguarded(20);
        } catch (int) {
            expect("exception", "all are gone", can_allocate(5000));
        }
    }
}

} // namespace

int main()
{
    a_guard_ends();
    a_mask_ends();
    marshal_scopes_and_locks_end();
    a_label_ends();
    an_exception_leaves_them();
    return expect_status();
}
