// SPDX-License-Identifier: Apache-2.0
//
// operators.cpp - each new is a malloc, each delete a free, whatever its form
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <new>

#include "tally/mem_trace.h"

namespace
{

struct alignas(128) Wide {
    char bytes[128];
};

struct Event {
    unsigned op;
    void *block;
    std::size_t size;
    std::uintptr_t caller;
};

constexpr unsigned most = 16;
Event events[most];
unsigned count;
int failures;

void keep(std::uint8_t op, void *res, void *caller, ...)
{
    Event event = { op, res, 0, reinterpret_cast<std::uintptr_t>(caller) };
    va_list given;

    va_start(given, caller);
    if (op == MBED_MEM_TRACE_FREE)
        event.block = va_arg(given, void *);
    else
        event.size = va_arg(given, std::size_t);
    va_end(given);
    if (count < most)
        events[count] = event;
    count++;
}

void expect(const char *what, bool is_so)
{
    if (is_so)
        return;
    std::fprintf(stderr, "not so: %s\n", what);
    failures++;
}

std::uintptr_t given; // block of the last new, as a number

void *take(void *block)
{
    given = reinterpret_cast<std::uintptr_t>(block);
    return block;
}

bool is_given(const void *block)
{
    return reinterpret_cast<std::uintptr_t>(block) == given;
}

// Expect a new with its block, and its delete, both called in `function`.
void expect_pair(const char *what, std::size_t size, void (*function)())
{
    const auto start = reinterpret_cast<std::uintptr_t>(function);

    expect(what, count == 2 && events[0].op == MBED_MEM_TRACE_MALLOC &&
                     is_given(events[0].block) && events[0].size == size &&
                     events[0].caller - start < 4096 &&
                     events[1].op == MBED_MEM_TRACE_FREE &&
                     is_given(events[1].block) &&
                     events[1].caller - start < 4096);
    count = 0;
}

void plain()
{
    void *block = take(::operator new(50));

    ::operator delete(block);
    expect_pair("new", 50, plain);
    block = take(::operator new[](51));
    ::operator delete[](block);
    expect_pair("new[]", 51, plain);
    block = take(::operator new(52));
    ::operator delete (block, std::size_t{ 52 });
    expect_pair("delete of a size", 52, plain);
    block = take(::operator new[](53));
    ::operator delete[](block, std::size_t{ 53 });
    expect_pair("delete[] of a size", 53, plain);
    block = take(::operator new(54, std::nothrow));
    ::operator delete(block, std::nothrow);
    expect_pair("nothrow new", 54, plain);
    block = take(::operator new[](55, std::nothrow));
    ::operator delete[](block, std::nothrow);
    expect_pair("nothrow new[]", 55, plain);
}

void wide()
{
    const auto alignment = std::align_val_t{ 128 };
    void *block = take(::operator new(60, alignment));

    ::operator delete(block, alignment);
    expect_pair("aligned new", 60, wide);
    block = take(::operator new[](61, alignment, std::nothrow));
    ::operator delete[](block, alignment, std::nothrow);
    expect_pair("aligned nothrow new[]", 61, wide);
    auto *object = new Wide;
    take(object);
    delete object;
    expect_pair("an object", sizeof(Wide), wide);
}

// Return true if the first event is a failed new, called in `function`.
bool is_failure(std::size_t size, void (*function)())
{
    const auto start = reinterpret_cast<std::uintptr_t>(function);

    return count >= 1 && events[0].op == MBED_MEM_TRACE_MALLOC &&
           events[0].block == nullptr && events[0].size == size &&
           events[0].caller - start < 4096;
}

// Return the number of reported frees of unknown blocks.
unsigned unknown_frees()
{
    unsigned unknown = 0;

    for (unsigned i = 0; i < count && i < most; i++) {
        bool is_known =
            events[i].op != MBED_MEM_TRACE_FREE || events[i].block == nullptr;

        for (unsigned before = 0; before < i; before++)
            is_known = is_known || (events[before].op != MBED_MEM_TRACE_FREE &&
                                    events[before].block == events[i].block);
        unknown += is_known ? 0 : 1;
    }
    return unknown;
}

unsigned attempts;

void give_up_later()
{
    if (++attempts == 3)
        std::set_new_handler(nullptr);
}

void failing()
{
    const volatile std::size_t all = SIZE_MAX / 2;

    expect("a nothrow new fails", ::operator new(all, std::nothrow) == nullptr);
    expect("it is told of", count == 1 && is_failure(all, failing));
    count = 0;
    try {
        (void)::operator new(all);
        expect("a new throws", false);
    } catch (const std::bad_alloc &) {
    }
    expect("that is told of", is_failure(all, failing));
    expect("and what is freed was handed out", unknown_frees() == 0);
    count = 0;
    std::set_new_handler(give_up_later);
    try {
        (void)::operator new[](all, std::align_val_t{ 64 });
        expect("an aligned new[] throws", false);
    } catch (const std::bad_alloc &) {
    }
    expect("its handler is asked", attempts == 3);
    expect("it is told of, too", is_failure(all, failing));
    expect("and what is freed then", unknown_frees() == 0);
    count = attempts = 0;
    std::set_new_handler(give_up_later);
    expect("a nothrow new[] fails in the end",
           ::operator new[](all, std::nothrow) == nullptr);
    expect("after its handler", attempts == 3);
    expect("called by the program", is_failure(all, failing));
    count = 0;
    ::operator delete(::operator new(1)); // no call has kept the lock
    expect("events go on", count == 2);
    count = 0;
}

} // namespace

int main()
{
    mbed_mem_trace_set_callback(keep);
    plain();
    wide();
    failing();
    mbed_mem_trace_set_callback(nullptr);
    return failures != 0;
}
