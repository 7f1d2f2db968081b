# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# The first screen shows the image with most bytes; --process selects another.
for size in 100000 3000000 20000; do
    echo "#include <stdlib.h>" >hold.c
    echo "int main(void) { free(calloc(1, $size)); }" >>hold.c
    gcc -O0 -o hold_$size hold.c
done
cat >all.sh <<'END'
./hold_100000
./hold_3000000
./hold_20000
END
tally record -q -o a.tally sh all.sh
named() {
    sed 's/[0-9]* \(hold\)/PID \1/; s/process [0-9][0-9]*/process PID/; s/=[0-9][0-9]*/=PID/; s/ *[0-9.]* m*s / T s /; s/[0-9]* \(dash\|sh\) all.sh$/PID sh all.sh/' |
        grep "$1"
}
tally report a.tally | named 'hold\|more'
tally report --process=hold_2* a.tally | named '^>\|^\./hold\|more'
tally report --process=*/hold_1* --full a.tally | named '^\./hold'
pid=$(tally report a.tally | sed -n 's/.* \([0-9]*\) hold_20000/\1/p')
tally report --process=$pid --json a.tally | grep bytes_allocated
cp hold_100000 'hold[1]'
tally record -q -o b.tally sh -c './hold_3000000; "./hold[1]"; true'
tally report --process='hold[1]' b.tally | named '^\./hold'
tally report --process=nothing a.tally
echo $?
tally report --process=$pid --all a.tally
echo $?
tally report --full a.tally 2>&1 | sed -n '1,2p; / processes (/,$p' | named .
tally report --process=sh a.tally | named "^sh\|^> *[0-9.]* KiB.*sh$" | sed "s/[0-9.]* KiB/N KiB/g; s/  *N KiB/ N KiB/g"
