/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loader_stress.cpp - threads that allocate, throw, load and unload, all at
 * once
 *
 * They take the locks of loader, unwinder and allocator in every order that a
 * program may; a recorder that adds a lock of its own hangs here.
 */
#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/recorder/victims/victim.h"

static std::atomic<bool> is_over;
static std::string folder;

static void *in_thread()
{
    return victim_keep(std::malloc(64));
}

static void load_and_unload(const char *name)
{
    while (!is_over) {
        void *plugin = dlopen((folder + name).c_str(), RTLD_NOW);

        REQUIRE(plugin != nullptr);
        void *(*entry)();
        void *symbol = dlsym(plugin, "plugin_block");
        std::memcpy(&entry, &symbol, sizeof entry);
        std::free(entry());
        REQUIRE(dlsym(plugin, "no_such_name") == nullptr);
        dlerror();
        dlclose(plugin);
    }
}

static void throw_and_catch()
{
    while (!is_over) {
        try {
            std::vector<char> some(1000);
            throw std::runtime_error("a message that does not fit in place");
        } catch (const std::exception &) {
        }
    }
}

static void allocate()
{
    while (!is_over)
        std::free(in_thread());
}

int main(int, char **argv)
{
    const std::timespec four_seconds = { 4, 0 };

    folder = argv[0];
    folder.resize(folder.rfind('/'));
    {
        std::vector<std::thread> threads;

        threads.emplace_back(load_and_unload, "/plugin_one.so");
        threads.emplace_back(load_and_unload, "/plugin_two.so");
        for (int i = 0; i < 2; i++) {
            threads.emplace_back(throw_and_catch);
            threads.emplace_back(allocate);
        }
        nanosleep(&four_seconds, nullptr);
        is_over = true;
        for (auto &thread : threads)
            thread.join();
    }
    return 0;
}
