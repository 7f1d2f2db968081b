/* SPDX-License-Identifier: Apache-2.0 */
/*
 * new_delete.cpp - every form of new and delete
 *
 * Each form of new is one function with ten calls; each form of delete frees
 * some of the blocks.
 */
#include <cstdint>
#include <new>

#include "tests/recorder/victims/victim.h"

namespace
{

constexpr std::align_val_t wide{ 64 };

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

} // namespace

int main()
{
    ten_of_each();
    int *number = new int[100];
    victim_keep(number);
    delete[] number;
    return 0;
}
