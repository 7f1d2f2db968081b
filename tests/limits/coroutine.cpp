// SPDX-License-Identifier: Apache-2.0
// coroutine.cpp - a coroutine of C++20 with a scope in its frame
#include <coroutine>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "tally/limits.h"

extern "C" {
#include "tests/limits/expect.h"
}

namespace
{
struct task {
    struct promise_type {
        task get_return_object()
        {
            return { std::coroutine_handle<promise_type>::from_promise(*this) };
        }
        std::suspend_never initial_suspend()
        {
            return {};
        }
        std::suspend_always final_suspend() noexcept
        {
            return {};
        }
        void return_void()
        {
        }
        void unhandled_exception()
        {
            has_failed = true;
        }
        bool has_failed = false;
    };
    std::coroutine_handle<promise_type> handle;
};

/* co_await it instead of what it wraps: the scope does not count meanwhile. */
struct suspended {
    limit_scope *scope;

    bool await_ready()
    {
        return false;
    }
    void await_suspend(std::coroutine_handle<>)
    {
        limits_suspend(scope);
    }
    void await_resume()
    {
        limits_resume(scope);
    }
};

task allocates(size_t size, unsigned &turns)
{
    tally::limit_guard guard;

    limits_begin_allocation(guard.scope(), 10000, LIMIT_ENOMEM);
    for (;; turns++) {
        free(::operator new(size));
        co_await suspended{ guard.scope() };
    }
}
} // namespace

int main()
{
    unsigned turns[2] = { 0, 0 };
    task first = allocates(1000, turns[0]), second = allocates(300, turns[1]);

    while (!second.handle.done()) {
        if (!first.handle.done())
            first.handle.resume();
        second.handle.resume();
        ::operator delete(::operator new(50000));
    }
    expect("first", "ends", first.handle.done());
    expect("first", "by an exception", first.handle.promise().has_failed);
    expect("first", "at its own limit", turns[0] == 9);
    expect("second", "at its own limit", turns[1] == 33);
    expect("thread", "is not hit", limits_interrupted() == 0);
    unsigned third_turns = 0;
    allocates(100, third_turns).handle.destroy(); /* while it is suspended */
    expect("third", "is gone", third_turns == 0 && limits_interrupted() == 0);
    first.handle.destroy();
    second.handle.destroy();
    return expect_status();
}
