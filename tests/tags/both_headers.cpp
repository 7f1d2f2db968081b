/* SPDX-License-Identifier: Apache-2.0 */
/* both_headers.cpp - C++ with both headers, and what it has of its own */
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "tally/kmalloc.h"
#include "tally/malloc.h"

#include <memory>

#include "tests/tags/rows.h"

struct hooks {
    void *(*malloc)(void *context, int size);
    void *(*calloc)(std::size_t count, std::size_t size);
    void (*free)(void *block);
};

static void *hooks_malloc(void *, int size)
{
    return std::malloc(static_cast<std::size_t>(size));
}

inline void *in_a_header(std::size_t size)
{
    return std::malloc(size);
}

template <class T> T *make()
{
    return static_cast<T *>(malloc(sizeof(T)));
}

static void *helper_noprof(std::size_t size)
{
    return malloc_noprof(size);
}

#define helper(...) alloc_hooks(helper_noprof(__VA_ARGS__))

template <class One, class Other> void *pair_noprof()
{
    return malloc_noprof(sizeof(One) + sizeof(Other));
}

static void *throwing_noprof()
{
    throw 1;
}

int main()
{
    hooks table = { hooks_malloc, calloc, free };
    char *text;
    void *block;

    block = std::malloc(5);
    ROW(5, 1);
    std::free(block);
    block = malloc(6u);
    ROW(6, 1);
    block = realloc(block, 100000);
    ROW(100000, 1);
    std::free(block);
    block = std::calloc(3, 4);
    ROW(12, 1);
    free(block);
    text = strdup("abc");
    ROW(4, 1);
    free(text);
    EXPECT(asprintf(&text, "%d", 12345) == 5);
    ROW(6, 1);
    free(text);
    EXPECT(posix_memalign(&block, 64, 100) == 0);
    ROW(100, 1);
    free(block);
    block = helper(13);
    ROW(13, 1);
    free(block);
    block = alloc_hooks(pair_noprof<int, char>());
    ROW(sizeof(int) + sizeof(char), 1);
    free(block);
    block = kmalloc(14, GFP_KERNEL);
    ROW(14, 1);
    kfree(block);
    EXPECT_FILE(0, 0);

    block = in_a_header(11);
    EXPECT_FILE(11, 1);
    table.free(block);
    block = make<double>();
    EXPECT_FILE(8, 1);
    table.free(block);
    block = table.malloc(nullptr, 9);
    EXPECT_FILE(9, 1);
    table.free(block);
    block = table.calloc(2, 2u); /* in no account */
    EXPECT_FILE(0, 0);
    table.free(block);

    std::istringstream in("x y\n");
    std::string line;
    std::getline(in, line);
    EXPECT(line == "x y");

    try {
        alloc_hooks(throwing_noprof());
    } catch (int) {
    }
    EXPECT(tally_current_tag == NULL);
    EXPECT_FILE(0, 0);
    return 0;
}
