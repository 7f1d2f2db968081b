// SPDX-License-Identifier: Apache-2.0
//
// logger.cpp - a data logger in C++: containers, new, and no exceptions
//
// Each allocation is a line of tally/mem_trace.h on UART 0. The program notes
// its own requests, without Tally, and prints them at the end:
//
//     expect m 24
//     expect f 24
//
// The logbook with its readings and title stays live.
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "board.h"
#include "tally/mem_trace.h"

namespace
{

enum { MOST_REQUESTS = 128, SAMPLES = 5, CODES = 48, TOO_LARGE = 1000000 };

struct request {
    bool is_free;
    std::size_t size;
};

request requests[MOST_REQUESTS];
unsigned request_count;

void expect(bool is_free, std::size_t size)
{
    if (request_count < MOST_REQUESTS)
        requests[request_count++] = { is_free, size };
}

// The allocator of the containers: they alone know their sizes.
template <typename T> struct expecting {
    using value_type = T;

    expecting() = default;
    template <typename U> expecting(const expecting<U> &)
    {
    }

    T *allocate(std::size_t count)
    {
        expect(false, count * sizeof(T));
        return static_cast<T *>(::operator new(count * sizeof(T)));
    }

    void deallocate(T *block, std::size_t count)
    {
        expect(true, count * sizeof(T));
        ::operator delete(block, count * sizeof(T));
    }

    template <typename U> bool operator==(const expecting<U> &) const
    {
        return true;
    }

    template <typename U> bool operator!=(const expecting<U> &) const
    {
        return false;
    }
};

using text = std::basic_string<char, std::char_traits<char>, expecting<char>>;

struct sensor {
    explicit sensor(int offset) : degrees(20 + offset)
    {
    }
    virtual ~sensor() = default;
    virtual int read() const
    {
        return degrees;
    }

    int degrees;
};

struct humid_sensor : sensor {
    using sensor::sensor;
    int read() const override
    {
        return degrees + percent[0];
    }

    int percent[10] = { 1 };
};

// Memory for a peripheral that reads whole lines of 32 bytes.
struct alignas(32) frame {
    unsigned char bytes[96];
};

struct reading {
    std::uint32_t tick;
    int degrees;
};

class logbook
{
  public:
    void add(const sensor &from)
    {
        readings.push_back({ tick++, from.read() });
    }

    void name(const char *title)
    {
        titles.emplace(tick, title);
    }

  private:
    std::uint32_t tick = 0;
    std::vector<reading, expecting<reading>> readings;
    std::map<std::uint32_t, text, std::less<>,
             expecting<std::pair<const std::uint32_t, text>>>
        titles;
};

template <typename T, typename... Arguments> T *make(Arguments... arguments)
{
    expect(false, sizeof(T));
    return new T(arguments...);
}

template <typename T> void drop(T *used)
{
    expect(true, sizeof(T));
    delete used;
}

void send()
{
    expect(false, CODES * sizeof(std::uint16_t));
    std::unique_ptr<std::uint16_t[]> codes(new std::uint16_t[CODES]);
    frame *line = make<frame>();

    codes[0] = reinterpret_cast<std::uintptr_t>(line) % alignof(frame);
    board_print(codes[0] == 0 ? "frame aligned\n" : "frame not aligned\n");
    drop(line);
#ifndef NEW_ABORTS
    expect(false, TOO_LARGE);
    if (new (std::nothrow) char[TOO_LARGE] == nullptr)
        board_print("no room for a large frame\n");
#endif
    expect(true, CODES * sizeof(std::uint16_t));
}

void print_expected()
{
    for (unsigned i = 0; i < request_count; i++) {
        board_print(requests[i].is_free ? "expect f " : "expect m ");
        board_print_number(static_cast<std::uint32_t>(requests[i].size));
        board_print("\n");
    }
}

} // namespace

// newlib's heap is the linker script's.
extern "C" char __tally_heap_start[], __tally_heap_end[];
extern "C" void *_sbrk(std::ptrdiff_t more);

void *_sbrk(std::ptrdiff_t more)
{
    static char *next = __tally_heap_start;
    char *start = next;

    if (more > __tally_heap_end - next)
        return reinterpret_cast<void *>(-1);
    next += more;
    return start;
}

int main()
{
    mbed_mem_trace_set_callback(mbed_mem_trace_default_callback);
    logbook *book = make<logbook>();
    sensor *dry = make<sensor>(0);
    humid_sensor *humid = make<humid_sensor>(2);

    book->name("a title that needs a block");
    for (unsigned i = 0; i < SAMPLES; i++)
        book->add(i % 2 == 0 ? *dry : *humid);
    send();
    drop(humid);
    drop(dry);
    mbed_mem_trace_set_callback(nullptr);
    print_expected();
    return 0;
}
