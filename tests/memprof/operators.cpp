/* SPDX-License-Identifier: Apache-2.0 */
/* operators.cpp - at rate 1 each form of new and delete gives exact samples */
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <new>

#include "tally/memprof.h"

namespace
{

volatile unsigned allocs, deallocs, rejected, handled, failures;
volatile std::size_t last_bytes, last_samples;
volatile bool rejects;
char anything;

void *alloc(const memprof_allocation *allocation, void *)
{
    last_bytes = allocation->bytes;
    last_samples = allocation->n_samples;
    if (rejects) {
        rejected = rejected + 1;
        return MEMPROF_REJECT;
    }
    allocs = allocs + 1;
    return &anything;
}

void *promote(void *block, void *)
{
    return block;
}

void dealloc(void *, void *)
{
    deallocs = deallocs + 1;
}

void expect(const char *what, unsigned made, unsigned ended, std::size_t bytes)
{
    if (allocs != made || deallocs != ended || last_bytes != bytes ||
        last_samples != (bytes + 7) / 8 + 1) {
        std::fprintf(stderr, "%s: %u %u %zu %zu\n", what, allocs, deallocs,
                     last_bytes, last_samples);
        failures = failures + 1;
    }
    allocs = deallocs = 0;
}

struct alignas(64) Wide {
    char bytes[128];
};

/* Compilers may remove a new whose block is not used. */
void *volatile seen;

template <typename Type> Type *keep(Type *block)
{
    seen = block;
    return block;
}

void each_form()
{
    delete keep(new (std::nothrow) std::int64_t);
    expect("nothrow", 1, 1, 8);
    delete keep(new std::int64_t);
    expect("new", 1, 1, 8);
    delete[] keep(new char[100]);
    expect("new[]", 1, 1, 100);
    delete[] keep(new (std::nothrow) char[0]);
    expect("nothrow new[]", 1, 1, 0);
    delete keep(new Wide);
    expect("aligned", 1, 1, 128);
    delete[] keep(new Wide[3]);
    expect("aligned[]", 1, 1, 384);
    delete keep(new (std::nothrow) Wide);
    expect("aligned nothrow", 1, 1, 128);
    delete[] keep(new (std::nothrow) Wide[2]);
    expect("aligned nothrow[]", 1, 1, 256);
    ::operator delete(::operator new(33), std::size_t(33));
    expect("sized", 1, 1, 33);
}

void handle()
{
    handled = handled + 1;
    rejects = false;
}

/* Rejected allocations fail as new does. */
void failing()
{
    bool is_thrown = false;
    void *block;

    rejects = true;
    block = ::operator new(24, std::nothrow);
    if (block != nullptr)
        failures = failures + 1;
    try {
        block = ::operator new(24);
    } catch (const std::bad_alloc &) {
        is_thrown = true;
    }
    if (!is_thrown) {
        std::fprintf(stderr, "nothing was thrown\n");
        failures = failures + 1;
    }
    rejects = true;
    allocs = deallocs = 0;
    std::set_new_handler(handle);
    ::operator delete(::operator new(24));
    std::set_new_handler(nullptr);
    expect("after the handler", 1, 1, 24);
    if (handled != 1 || rejected < 3)
        failures = failures + 1;
}

} // namespace

int main()
{
    const memprof_tracker tracker = {
        alloc, alloc, promote, dealloc, dealloc, nullptr,
    };
    memprof *profile;

    std::setvbuf(stderr, nullptr, _IONBF, 0);
    if (memprof_start(1, INT_MAX, &tracker, &profile) != 0)
        return 2;
    each_form();
    failing();
    if (memprof_stop() != 0 || memprof_discard(profile) != 0)
        return 2;
    return failures != 0;
}
