# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# A pattern that nothing in the ledger is like is kept if it names a call of a
# baseline, a function, a file of source or a module of the program; else it is
# a typo, and no pass.
cat >other.c <<'END'
int idle(int count) { return count + 1; }
END
cat >server.c <<'END'
#include <stdlib.h>
extern int idle(int);
void *volatile held;
__attribute__((noinline)) static void serve(void) { held = malloc(100); }
__attribute__((noinline)) static void warm(void) { held = malloc(50); }
int main(int count, char **arguments)
{
    (void)arguments;
    serve();
    if (count > 1)
        warm();
    return idle(-1);
}
END
gcc -g -O1 -o server server.c other.c
cp server whole
tally record -q -o base.tally ./whole again
tally record -q -o a.tally ./server
judge() {
    printf 'rules:\n  - live "%s" <= 64 KiB\n' "$1" >b.yaml
    shift
    tally check --budget=b.yaml "$@" a.tally
    echo "$?"
}
judge serve
judge 'server.c:*'
judge idle
judge 'other.c:*'
judge 'libc.so*'
judge servee
judge 'othr.c:*' --baseline=base.tally
# Without symbols baselines alone tell.
strip -s server
tally record -q -f -o a.tally ./server
judge idle
judge warm --baseline=base.tally
