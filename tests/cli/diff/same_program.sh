# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# Two recordings are compared by the same program: of the programs in both, the
# one with most bytes in the later recording; also where one recording has no
# other image. Without a program in both, each has its largest. top shows the
# largest.
for name in one two three; do
    echo "#include <stdlib.h>" >$name.c
    echo "int main(int count, char **sizes) { free(calloc(1, atol(sizes[count - 1]))); }" >>$name.c
    gcc -O0 -o $name $name.c
done
tally record -q -o a.tally sh -c './one 3000000; ./two 1000000; :'
tally record -q -o b.tally sh -c './three 5000000; ./two 2000000; ./two 10000; :'
tally record -q -o c.tally ./two 400000
tally record -q -o d.tally sh -c 'exec ./one 4000000'
diff() {
    tally diff --value=peak "$@" 2>&1 | sed 's/showing [0-9-]*/showing PID/' |
        grep 'showing\|^before\|^after'
}
diff a.tally b.tally
diff c.tally b.tally
diff a.tally c.tally
diff c.tally d.tally
tally top -n1 b.tally | head -n 1 | sed 's/pid [0-9]*/pid PID/'
