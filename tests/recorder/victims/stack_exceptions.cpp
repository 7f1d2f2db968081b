/* SPDX-License-Identifier: Apache-2.0 */
/* stack_exceptions.cpp - stacks before, during and after C++ exceptions */
#include "tests/recorder/victims/stacks.h"

static FRAME void throws(int deep)
{
    if (deep > 0)
        throws(deep - 1);
    block();
    throw deep;
}

struct guard {
    FRAME ~guard()
    {
        block();
    }
};

static FRAME void guards(int deep)
{
    guard held;

    throws(deep);
    AND_BACK();
}

static FRAME void catches(int deep)
{
    try {
        guards(deep);
    } catch (int) {
        block();
    }
    block();
    AND_BACK();
}

int main()
{
    for (int i = 0; i < ROUNDS; i++)
        catches(i % 2);
    say_stack(ROUNDS / 2, "block throws guards catches main");
    say_stack(ROUNDS / 2, "block throws throws guards catches main");
    say_stack(2 * ROUNDS, "block catches main");
    return 0;
}
