/* SPDX-License-Identifier: Apache-2.0 */
/*
 * new_delete.cpp - every form of new and delete, and what they do on failure
 *
 * Each form of new is one function with ten calls; each form of delete gives
 * some of the blocks back. What fails calls the new_handler and then throws or
 * returns NULL, as it would without a recorder: malloc is asked, then the
 * handler, then malloc again.
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

void *keep(void *block, std::uintptr_t alignment)
{
    REQUIRE(block != nullptr);
    REQUIRE(reinterpret_cast<std::uintptr_t>(block) % alignment == 0);
    return victim_keep(block);
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

void give_back(void **blocks)
{
    ::operator delete(blocks[0]);
    ::operator delete (blocks[1], std::size_t{ 50 });
    ::operator delete(blocks[2], std::nothrow);
    ::operator delete[](blocks[3]);
    ::operator delete[](blocks[4], std::size_t{ 50 });
    ::operator delete[](blocks[5], std::nothrow);
}

void give_back_aligned(void **blocks)
{
    ::operator delete(blocks[0], wide);
    ::operator delete (blocks[1], std::size_t{ 50 }, wide);
    ::operator delete(blocks[2], wide, std::nothrow);
    ::operator delete[](blocks[3], wide);
    ::operator delete[](blocks[4], std::size_t{ 50 }, wide);
    ::operator delete[](blocks[5], wide, std::nothrow);
}

void ten_of_each()
{
    struct {
        void *(*request)(std::size_t size);
        void (*give_back)(void **blocks);
        std::uintptr_t alignment;
    } const forms[] = {
        { single, give_back, 16 },
        { array, give_back, 16 },
        { single_nothrow, give_back, 16 },
        { array_nothrow, give_back, 16 },
        { single_aligned, give_back_aligned, 64 },
        { array_aligned, give_back_aligned, 64 },
        { single_aligned_nothrow, give_back_aligned, 64 },
        { array_aligned_nothrow, give_back_aligned, 64 },
    };

    for (const auto &form : forms) {
        void *blocks[10];

        for (void *&block : blocks)
            block = keep(form.request(50), form.alignment);
        form.give_back(blocks);
    }
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
    ten_of_each();
    fail_quietly(single_nothrow);
    fail_quietly(array_nothrow);
    fail_quietly(single_aligned_nothrow);
    fail_quietly(array_aligned_nothrow);
    fail_throwing(single);
    fail_throwing(array);
    fail_throwing(single_aligned);
    fail_throwing(array_aligned);

    int *number = new int[100];
    victim_keep(number);
    delete[] number;
    return 0;
}
