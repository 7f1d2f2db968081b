# SPDX-License-Identifier: Apache-2.0
# A file that cannot be read any more: one line each time, no old rows again,
# and 2 if it does not come back.
text() {
    echo "allocinfo - version: 1.0"
    echo "#     <size>  <calls> <tag info>"
    echo "        1000        1 a.c:1 func:f "
}
wait_for() {
    tries=0
    until grep -q "$1" "$2" || [ $tries -gt 200 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
}
text >kernel.txt
: >out
tally top -d 1 -n 3 kernel.txt >out 2>err &
wait_for a.c out
text | head -c 70 >later.txt
mv later.txt kernel.txt
wait_for truncated err
rm kernel.txt
wait $!
echo $?
cat out err
# The file comes back.
text >kernel.txt
: >out
tally top -d 1 -n 3 kernel.txt >out 2>err &
wait_for a.c out
echo oops >later.txt
text | cat - later.txt >torn.txt
mv torn.txt kernel.txt
wait_for "line 4" err
text >later.txt
mv later.txt kernel.txt
wait $!
echo $?
grep -c a.c:1 out
