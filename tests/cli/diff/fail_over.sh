# SPDX-License-Identifier: Apache-2.0
# The bound itself is no excess; from nothing, any growth is.
text() {
    echo "allocinfo - version: 1.0"
    echo "#     <size>  <calls> <tag info>"
    echo "         $1        1 a.c:1 func:f "
}
text 100 >hundred.txt
text 110 >more.txt
text 0 >nothing.txt
for bound in 10 9.9 0; do
    tally diff --fail-over=$bound hundred.txt more.txt | tail -n 1
    tally diff --fail-over=$bound hundred.txt more.txt >out
    echo "$bound: $?"
done
tally diff --fail-over=0 more.txt hundred.txt >out; echo "less: $?"
tally diff --fail-over=0 more.txt more.txt >out; echo "equal: $?"
tally diff --fail-over=1000 nothing.txt more.txt >out; echo "from nothing: $?"
for bound in 10% '9.9 %' 10%% %; do
    tally diff --fail-over="$bound" hundred.txt more.txt >out
    echo "$bound: $?"
done
tally diff --fail-over=0 --json nothing.txt more.txt | grep -A7 growth
