# SPDX-License-Identifier: Apache-2.0
# Wrappers between calls are folded, and a thread is named by its function.
# needs: recorder
cat >thread.cpp <<'END'
#include <functional>
#include <thread>
static char *volatile kept[2];
static volatile int calls;
static void work(int which) { kept[which] = new char[3000 << which]; calls++; }
int main()
{
    std::function<void(int)> call = work;
    call(0);
    std::thread(work, 1).join();
    return 0;
}
END
c++ -g -O0 -pthread -o thread thread.cpp
tally record -q -o a.tally -- ./thread
tally export --to html a.tally -o a.html
"$PYTHON" -B "$CASE_DIR/wrappers.py" a.html
