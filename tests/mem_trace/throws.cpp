// SPDX-License-Identifier: Apache-2.0
//
// throws.cpp - has no operator new or delete, but its C++ library has
#include "tally/mem_trace.h"

int main()
{
    mbed_mem_trace_set_callback(nullptr);
    try {
        throw 1;
    } catch (int) {
        return 0;
    }
}
