# SPDX-License-Identifier: Apache-2.0
# All rows go: that is a change, and a kernel still has no totals.
text() {
    echo "allocinfo - version: 1.0"
    echo "#     <size>  <calls> <tag info>"
}
text >later.txt
{
    text
    echo "        1000        1 a.c:1 func:f "
} >kernel.txt
: >out
tally top -d 1 -n 2 kernel.txt >out &
tries=0
until grep -q a.c out || [ $tries -gt 200 ]; do
    sleep 0.05
    tries=$((tries + 1))
done
mv later.txt kernel.txt
wait
cat out
tally report --json kernel.txt | sed -n 3,15p
