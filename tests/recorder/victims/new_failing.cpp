/* SPDX-License-Identifier: Apache-2.0 */
/*
 * new_failing.cpp - every form of new, called for more memory than there is
 *
 * new calls malloc as without a recorder, then the new_handler, then malloc
 * again, and then throws or returns NULL.
 */
#include <cstdint>
#include <new>

#include "tests/recorder/victims/victim.h"

namespace
{

constexpr std::align_val_t wide{ 64 };
constexpr std::size_t too_much = PTRDIFF_MAX - 4096;

int handler_calls;

void give_up()
{
    handler_calls++;
    std::set_new_handler(nullptr);
}

void *single(std::size_t size)
{
    return ::operator new(size);
}

void *array(std::size_t size)
{
    return ::operator new[](size);
}

void *single_nothrow(std::size_t size)
{
    return ::operator new(size, std::nothrow);
}

void *array_nothrow(std::size_t size)
{
    return ::operator new[](size, std::nothrow);
}

void *single_aligned(std::size_t size)
{
    return ::operator new(size, wide);
}

void *array_aligned(std::size_t size)
{
    return ::operator new[](size, wide);
}

void *single_aligned_nothrow(std::size_t size)
{
    return ::operator new(size, wide, std::nothrow);
}

void *array_aligned_nothrow(std::size_t size)
{
    return ::operator new[](size, wide, std::nothrow);
}

void fail_throwing(void *(*request)(std::size_t size))
{
    bool was_thrown = false;

    handler_calls = 0;
    std::set_new_handler(give_up);
    try {
        victim_keep(request(too_much));
    } catch (const std::bad_alloc &) {
        was_thrown = true;
    }
    REQUIRE(was_thrown);
    REQUIRE(handler_calls == 1);
}

void fail_quietly(void *(*request)(std::size_t size))
{
    handler_calls = 0;
    std::set_new_handler(give_up);
    REQUIRE(victim_keep(request(too_much)) == nullptr);
    REQUIRE(handler_calls == 1);
}

} // namespace

int main()
{
    fail_quietly(single_nothrow);
    fail_quietly(array_nothrow);
    fail_quietly(single_aligned_nothrow);
    fail_quietly(array_aligned_nothrow);
    fail_throwing(single);
    fail_throwing(array);
    fail_throwing(single_aligned);
    fail_throwing(array_aligned);
    victim_keep(single(10));
    return 0;
}
