/* SPDX-License-Identifier: Apache-2.0 */
/* replaced_new_library.cpp - a library that replaces one operator new */
#include <cstdlib>
#include <new>

extern "C" {
int library_news;
}

static void *library_block(std::size_t size)
{
    return std::malloc(size + 8);
}

void *operator new(std::size_t size, const std::nothrow_t &) noexcept
{
    library_news++;
    return library_block(size);
}
