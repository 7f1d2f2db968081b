# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# The program's own call is blamed, not its wrapper's or a container's.
cat >blamed.cpp <<'END'
#include <cstdlib>
#include <map>
#include <string>
#include <vector>
#define OWN __attribute__((noinline))
extern "C" OWN void *xmalloc(size_t size) { return malloc(size); }
extern "C" OWN char *pool_get(size_t size) { return (char *)xmalloc(size); }
static inline __attribute__((always_inline)) char *inlined_get(size_t size)
{
    return (char *)malloc(size);
}
struct cache {
    std::map<int, std::string> names;
    std::vector<int> numbers;
    OWN void add(int i)
    {
        names[i] = std::string(50, 'x');
        numbers.push_back(i);
    }
};
OWN void serve(cache *to)
{
    for (int i = 0; i < 100; i++) {
        to->add(i);
        pool_get(100)[0] = 1;
        inlined_get(10)[0] = 1;
    }
}
int main() { serve(new cache); }
END
g++ -g -O1 -o blamed blamed.cpp
tally record -q -o a.tally --stacks=all ./blamed
rows() {
    echo "-- $*"
    tally report --module=blamed "$@" --json a.tally >json || return
    "$PYTHON" <json -c 'import sys, collections
from harness import stack_tables
rows = collections.Counter()
for site in stack_tables.load(sys.stdin)["sites"]:
    blamed = site["stack"][site["folded"]]["function"] or "?"
    rows[blamed.split("(")[0]] += site["blocks_total"]
for name, blocks in sorted(rows.items()):
    print(name if "std::" not in name else "std", blocks)'
}
rows
rows --hide=pool_get
rows --hide='blamed.cpp:*'
rows --focus=add
rows --focus='cache::*'
rows --function=serve --hide=pool_get
rows --function=xmalloc
rows --leaf --function=xmalloc
rows --leaf --function=serve
tally report --module=blamed --top=1 --color=never a.tally |
    sed -n '/^Called/,/^$/p' | sed 's/ (.*//; s/^ *[0-9.,%]* *//'
tally report --callers=xmalloc a.tally | grep -o '  pool_get'
# Calls without a name are those of the function of their library that made
# them; of a program only an allocator's.
cat >library.c <<'END'
#include <stdlib.h>
#define OWN __attribute__((noinline))
OWN static void *first(size_t size) { return malloc(size); }
OWN static void *second(size_t size) { return (char *)first(size) + 0; }
void *xmalloc(size_t size) { return (char *)second(size) + 0; }
void *take(size_t size) { return (char *)second(size) + 0; }
END
cat >holder.c <<'END'
#include <stddef.h>
extern void *xmalloc(size_t), *take(size_t);
void *volatile held[2];
__attribute__((noinline)) static void hold(void) { held[0] = xmalloc(70); }
__attribute__((noinline)) static void grip(void) { held[1] = take(80); }
int main(void) { hold(); grip(); }
END
gcc -O1 -fno-optimize-sibling-calls -fno-ipa-icf -fno-ipa-cp -shared -fPIC \
    -o libblame.so library.c
strip libblame.so
gcc -g -O0 -o holder holder.c -L. -lblame -Wl,-rpath,"$PWD"
tally record -q -o c.tally ./holder
tally report --module=holder --sort=total --color=never c.tally |
    sed -n '/^ *[78]0 /{s/+0x[0-9a-f]*/+PLACE/;s|/[^ ]*/||;s/.* 1  //;p;}'
# By caller alone: what the compiler inlined can be hidden there, too.
tally record -q -o b.tally --stacks=caller ./blamed
tally report --module=blamed b.tally | grep -o 'inlined_get\|serve'
tally report --module=blamed --hide=inlined_get b.tally |
    grep -o 'inlined_get\|serve'
tally report --function=srve a.tally | grep -c blamed.cpp
tally report --focus=nothing a.tally | grep -c blamed.cpp
tally report --module=blamd a.tally | grep -c blamed.cpp
tally report --file=somewhere.cpp a.tally | grep -c blamed.cpp
# A file is known by its path; another filter, which leaves nothing, is not named.
mkdir -p deep
echo '#include <stdlib.h>
int main(void) { return malloc(9) == NULL; }' >deep/only.c
gcc -g -O0 -o only "$PWD/deep/only.c"
tally record -q -o d.tally ./only
tally report --file=only.c --module='libc*' d.tally | grep -c only.c
true
