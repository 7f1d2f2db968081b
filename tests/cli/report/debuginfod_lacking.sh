# SPDX-License-Identifier: Apache-2.0
# A libdebuginfod that lacks the function that finds programs is none: two files
# that are gone cost their names, and nothing else.
# needs: recorder
cat >library.c <<'END'
#include <stdlib.h>

static void *volatile kept;

void HOLD(size_t size)
{
    kept = malloc(size);
}
END
cat >victim.c <<'END'
#include <stddef.h>

void hold_one(size_t size);
void hold_two(size_t size);

int main(void)
{
    hold_one(4321);
    hold_two(5432);
    return 0;
}
END
cat >lacking.c <<'END'
void *debuginfod_begin(void)
{
    static int client;

    return &client;
}

void debuginfod_end(void *client)
{
    (void)client;
}
END
for name in one two; do
    gcc -shared -fPIC -Wl,--build-id -DHOLD=hold_$name -o lib$name.so library.c
done
gcc -Wl,-rpath,"$PWD" -o victim victim.c libone.so libtwo.so
tally record -q -o a.tally -- ./victim
rm libone.so libtwo.so
mkdir lacking
gcc -shared -fPIC -Wl,-soname,libdebuginfod.so.1 \
    -o lacking/libdebuginfod.so.1 lacking.c
LD_LIBRARY_PATH=$PWD/lacking DEBUGINFOD_URLS=http://127.0.0.1:1 \
    tally report --debuginfod --json a.tally >a.json
echo "status $?"
"$PYTHON" -c 'from harness import stack_tables
for site in stack_tables.load(open("a.json"))["sites"]:
    if site["bytes_total"] in (4321, 5432):
        print(site["bytes_total"], site["stack"][0]["function"],
              site["stack"][1]["function"])'
