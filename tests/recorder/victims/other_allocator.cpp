/* SPDX-License-Identifier: Apache-2.0 */
/*
 * other_allocator.cpp - jemalloc or tcmalloc below the program
 *
 * Their smallest blocks are 8 bytes, 8 apart, and they define operator new too.
 * Each of two threads keeps every third block; counts are exact.
 */
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "tests/recorder/victims/victim.h"

static constexpr int rounds = 30000;

static void *tiny()
{
    return victim_keep(std::malloc(8));
}

static void *middle()
{
    return victim_keep(std::calloc(10, 20));
}

static void *grown(void *block)
{
    return victim_keep(std::realloc(block, 1500));
}

static void *by_new()
{
    return victim_keep(::operator new(24));
}

static void *aligned()
{
    return victim_keep(std::aligned_alloc(4096, 4096));
}

static void run()
{
    for (int i = 0; i < rounds; i++) {
        void *block = tiny();
        void *other = by_new();

        REQUIRE(block != nullptr && other != nullptr);
        std::memset(block, i, 8);
        if (i % 3 != 0) {
            std::free(block);
            ::operator delete(other);
        }
        if (i % 10 == 0) {
            block = grown(middle());
            if (i % 20 == 0)
                std::free(block);
        }
        if (i % 100 == 0)
            std::free(aligned());
    }
}

int main()
{
    std::thread thread(run);

    run();
    thread.join();
    return 0;
}
