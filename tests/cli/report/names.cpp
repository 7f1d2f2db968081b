// SPDX-License-Identifier: Apache-2.0
// names.cpp - leak 1 MiB in the plant of argv[1]; its line says so
#include <any>
#include <coroutine>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#define OWN __attribute__((noinline))

static const std::size_t SIZE = 1 << 20;
static void *volatile kept[16];

struct Block {
    char bytes[SIZE];
};

OWN static void share()
{
    static std::vector<std::shared_ptr<Block>> blocks;

    blocks.push_back(std::make_shared<Block>()); // plant: make_shared
}

namespace
{
struct Hidden {
    int number = 0;

    OWN void hide()
    {
        kept[1] = new char[SIZE]; // plant: anonymous
    }
    OWN operator std::string() const
    {
        return std::string(SIZE, 'x'); // plant: conversion
    }
    OWN auto operator()(int n) -> decltype(n + 1)
    {
        kept[2] = std::malloc(SIZE); // plant: call
        return n;
    }
    OWN bool operator<(const Hidden &other) const
    {
        kept[3] = std::calloc(SIZE, 1); // plant: less
        return number < other.number;
    }
};
} // namespace

template <class T> OWN auto declared(T n) -> decltype(std::vector<T>(n))
{
    return std::vector<T>(SIZE + n); // plant: decltype
}

struct Task {
    struct promise_type {
        Task get_return_object()
        {
            return {};
        }
        std::suspend_never initial_suspend()
        {
            return {};
        }
        std::suspend_always final_suspend() noexcept
        {
            return {};
        }
        void return_void()
        {
        }
        void unhandled_exception()
        {
            std::terminate();
        }
    };
};

OWN static Task start(int n)
{
    char array[SIZE];

    kept[4] = &array[n];
    co_await std::suspend_always{};
    kept[4] = &array[n + 1];
} // plant: coroutine

template <class T> struct Pool {
    T *items = nullptr;
    OWN void grow(std::size_t count)
    {
        items = new T[count]; // plant: template
    }
};

OWN static void run(const std::string &plant)
{
    static std::map<std::string, std::function<void(int)>> handlers;
    static Hidden hidden;
    static Pool<std::pair<int, int>> pool;

    if (plant == "make_shared")
        share();
    if (plant == "anonymous")
        hidden.hide();
    if (plant == "conversion")
        new std::string(hidden);
    if (plant == "call")
        hidden(1);
    if (plant == "less" && hidden < hidden)
        std::abort();
    if (plant == "decltype")
        new auto(declared<char>(1));
    if (plant == "coroutine")
        start(1);
    if (plant == "template")
        pool.grow(SIZE / 8);
    if (plant == "lambda") {
        handlers[plant] = [&](int n) {
            auto inner = [n] {
                kept[5] = new char[SIZE + n]; // plant: lambda
            };

            inner();
        };
        handlers[plant](1);
    }
    if (plant == "function") {
        std::function<void *(std::size_t)> make = [](std::size_t n) {
            return std::calloc(n, 1); // plant: function
        };

        kept[6] = make(SIZE);
    }
    if (plant == "map")
        for (int i = 0; i < 10000; i++)
            handlers[std::to_string(i) + " of a long key"] = {}; // plant: map
    if (plant == "any")
        new std::any(std::string(SIZE, 'y')); // plant: any
    if (plant == "thread")
        std::thread([] { kept[7] = new char[SIZE]; }).join(); // plant: thread
}

int main(int, char **arguments)
{
    run(arguments[1]);
    std::_Exit(0);
}
