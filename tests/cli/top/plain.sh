# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# Not on a terminal: text without escapes, until the program ends.
cat > program.c <<'END'
#include <stdlib.h>
#include <unistd.h>
__attribute__((noinline)) static void *keep(size_t size)
{
    return malloc(size);
}
int main(void)
{
    char byte;
    void *volatile block = keep(1000);

    write(1, "x", 1);
    read(0, &byte, 1);
    block = keep(234);
    write(1, "x", 1);
    return read(0, &byte, 1) != 1 || block == NULL;
}
END
cc -g -O0 -o program program.c
mkfifo in out
tally record -q -o x.tally -- ./program < in > out &
record=$!
exec 8> in 9< out
dd bs=1 count=1 <&9 2> /dev/null > step
program=$(cat /proc/$record/task/$record/children)
hide() { sed "s/^pid [0-9]*/pid PID/; s:$PWD:HERE:; s:  *: :g; s:-* *$::"; }
tally top -n 1 $program | hide
printf x >&8; dd bs=1 count=1 <&9 2> /dev/null > step
tally top -n 1 $record | hide | sed -n 2p
(sleep 0.5; printf x >&8) &
tally top -d 0.1 $program > watched
wait
grep '^pid' watched | sort -u | hide
tail -n 1 watched | hide
tally top x.tally | hide | head -n 2
