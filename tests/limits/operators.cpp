// SPDX-License-Identifier: Apache-2.0
//
// operators.cpp - C++ new inside a scope that was hit
//
// Forms that throw call the new_handler, which may end the scope, and throw;
// others return nullptr.
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <malloc.h>
#include <new>

#include "tally/limits.h"
#include "tests/limits/expect.h"
#include "tests/limits/held.h"

namespace
{

struct alignas(128) Wide {
    char bytes[128];
};

limit_scope scope;
unsigned handled;
bool handler_ends;

void handle()
{
    handled++;
    if (handler_ends)
        limits_end(&scope, nullptr);
    else
        std::set_new_handler(nullptr);
}

enum class Form { one, many, wide, wides };

void *make(Form form, bool throws)
{
    switch (form) {
    case Form::one:
        return throws ? ::operator new(128) : ::operator new(128, std::nothrow);
    case Form::many:
        return throws ? ::operator new[](128)
                      : ::operator new[](128, std::nothrow);
    case Form::wide:
        return throws ? new Wide : new (std::nothrow) Wide;
    case Form::wides:
        return throws ? new Wide[1] : new (std::nothrow) Wide[1];
    }
    return nullptr;
}

void take_back(Form form, void *block)
{
    if (form == Form::one)
        ::operator delete(block);
    else if (form == Form::many)
        ::operator delete[](block);
    else if (form == Form::wide)
        delete static_cast<Wide *>(block);
    else
        delete[] static_cast<Wide *>(block);
}

void passes_below_the_limit(Form form, bool throws)
{
    std::uint64_t bytes;
    void *block;

    limits_begin_allocation(&scope, 129, LIMIT_ENOMEM);
    block = make(form, throws);
    expect("new", "it is charged exactly",
           limits_end(&scope, &bytes) == 0 && bytes == 128 && block != nullptr);
    take_back(form, block);
}

void throws_at_the_limit(Form form)
{
    void *block = nullptr;
    bool is_caught = false;

    handled = 0;
    handler_ends = false;
    std::set_new_handler(handle);
    limits_begin_allocation(&scope, 128, LIMIT_ENOMEM);
    try {
        block = make(form, true);
    } catch (const std::bad_alloc &) {
        is_caught = true;
    }
    expect("new", "it throws", is_caught && block == nullptr);
    expect("new", "behind the handler", handled == 1);
    expect("new", "and has hit", limits_end(&scope, nullptr) == 1);
}

void handler_makes_room(Form form)
{
    void *block;

    handled = 0;
    handler_ends = true;
    std::set_new_handler(handle);
    limits_begin_allocation(&scope, 128, LIMIT_ENOMEM);
    block = make(form, true);
    expect("new", "the handler has ended the scope",
           block != nullptr && handled == 1);
    take_back(form, block);
    std::set_new_handler(nullptr);
}

void returns_nothing_at_the_limit(Form form)
{
    void *block;

    limits_begin_allocation(&scope, 128, LIMIT_ENOMEM);
    block = make(form, false);
    expect("new", "nothrow returns nullptr", block == nullptr);
    expect("new", "and has hit", limits_end(&scope, nullptr) == 1);
}

void is_held_until_it_is_deleted(Form form, bool throws)
{
    std::int64_t before = held(), with;
    void *block = make(form, throws);
    auto usable = static_cast<std::int64_t>(malloc_usable_size(block));

    with = held();
    take_back(form, block);
    expect("new", "what it takes is held", with == before + usable);
    expect("delete", "until it is deleted", held() == before);
}

} // namespace

int main()
{
    for (Form form : { Form::one, Form::many, Form::wide, Form::wides }) {
        passes_below_the_limit(form, true);
        passes_below_the_limit(form, false);
        throws_at_the_limit(form);
        handler_makes_room(form);
        returns_nothing_at_the_limit(form);
    }
    held(); // count from now on
    for (Form form : { Form::one, Form::many, Form::wide, Form::wides }) {
        is_held_until_it_is_deleted(form, true);
        is_held_until_it_is_deleted(form, false);
    }
    return expect_status();
}
