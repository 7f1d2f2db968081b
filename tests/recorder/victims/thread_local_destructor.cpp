/* SPDX-License-Identifier: Apache-2.0 */
/* thread_local_destructor.cpp - C++ destructors of a thread that allocate */
#include <thread>

#include "tests/recorder/victims/victim.h"

static void *in_destructor()
{
    return victim_keep(::operator new(48));
}

static void *in_thread()
{
    return victim_keep(::operator new(96));
}

struct mourner {
    void *held = nullptr;

    ~mourner()
    {
        ::operator delete(held);
        ::operator delete(in_destructor());
        if (number % 4 == 0)
            in_destructor();
    }

    int number = 0;
};

static thread_local mourner local;

int main()
{
    for (int i = 0; i < 200; i++) {
        std::thread thread([i] {
            local.held = in_thread();
            local.number = i;
        });
        thread.join();
    }
    return 0;
}
