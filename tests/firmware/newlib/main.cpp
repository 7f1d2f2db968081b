// SPDX-License-Identifier: Apache-2.0
//
// main.cpp - a program that uses much of libstdc++, and nothing of Tally
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <vector>

struct alignas(64) line {
    char bytes[64];
};

// libstdc++ wants it; newlib's boards lack it.
extern "C" int getentropy(void *bytes, std::size_t size);

int getentropy(void *, std::size_t)
{
    return -1;
}

int main()
{
    void *block = std::malloc(100);
    std::map<int, std::string> names;
    std::vector<std::unique_ptr<line>> lines;

    names[1] = "a name that needs a block of its own";
    lines.emplace_back(new (std::nothrow) line);
    lines.emplace_back(new line);
    std::stable_sort(lines.begin(), lines.end());
    std::cout << names[1] << block << '\n';
    return block == nullptr;
}
