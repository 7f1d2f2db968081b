# SPDX-License-Identifier: Apache-2.0
# By function, and by file and line.
# needs: recorder
cat >victim.c <<'END'
#include <stdlib.h>

__attribute__((noinline)) static void second(void)
{
    free(malloc(1));
}

__attribute__((noinline)) static void first(void)
{
    free(malloc(2));
}

int main(void)
{
    first();
    second();
    return 0;
}
END
gcc -O0 -g -fdebug-prefix-map="$PWD"=/src -o victim victim.c
tally record -o a.tally -- ./victim 2>/dev/null
tally report --sort=function --module=victim a.tally | sed -n 3,5p
tally report --sort=file --module=victim a.tally | sed -n 3,5p
