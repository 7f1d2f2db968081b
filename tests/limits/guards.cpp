// SPDX-License-Identifier: Apache-2.0
//
// guards.cpp - scopes that end with their block, also by exceptions
#include <cerrno>
#include <cstdlib>
#include <new>

#include "tally/limits.h"
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
    an_exception_leaves_them();
    return expect_status();
}
