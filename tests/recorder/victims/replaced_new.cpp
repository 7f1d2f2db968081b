/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replaced_new.cpp - a program's own operator new, and a library's
 *
 * The executable replaces the plain forms, with a header before each block; the
 * library replaces the nothrow forms. Both must be called, and their calls of
 * malloc are recorded.
 */
#include <cstdlib>
#include <new>

#include "tests/recorder/victims/victim.h"

extern "C" int library_news;

static int news;

void *own_block(std::size_t size)
{
    char *block = static_cast<char *>(std::malloc(size + 16));

    if (block == nullptr)
        throw std::bad_alloc();
    block[0] = 'T';
    return block + 16;
}

void *operator new(std::size_t size)
{
    news++;
    return own_block(size);
}

void operator delete(void *block) noexcept
{
    char *start = static_cast<char *>(block) - 16;

    REQUIRE(start[0] == 'T');
    std::free(start);
}

void operator delete(void *block, std::size_t) noexcept
{
    operator delete(block);
}

int main()
{
    for (int i = 0; i < 10; i++) {
        long *number = new long(i);

        victim_keep(number);
        if (i % 2 == 0)
            delete number;
    }
    REQUIRE(news == 10);
    for (int i = 0; i < 5; i++)
        REQUIRE(victim_keep(::operator new(100, std::nothrow)) != nullptr);
    REQUIRE(library_news == 5);
    return 0;
}
