# SPDX-License-Identifier: Apache-2.0
# Nothing is cut, and nothing takes more than a moment.
{
    echo "allocinfo - version: 1.0"
    echo "#     <size>  <calls> <tag info>"
    seq 100000 | awk '{ printf "%12d %8d f%d.c:%d func:g%d \n",
                        $1 * 7919 % 100003, $1 % 17, $1 % 999, $1 % 5000, $1 % 50 }'
} >many.txt
awk 'NR > 2 { bytes += $1; calls += $2; places[$3 $4] } END {
    printf "%d %d %d\n", bytes, calls, length(places) }' many.txt
tally allocinfo many.txt | cmp - many.txt && echo same
tally allocinfo --sum many.txt | awk 'NR > 2 { bytes += $1; calls += $2 } END {
    printf "%d %d %d\n", bytes, calls, NR - 2 }'
tally report --json many.txt | grep -E leaked
tally export --to folded many.txt | awk '{ sum += $NF } END { print sum }'
tally diff many.txt many.txt | sed -n 2,3p | cut -d: -f1
tally top -n 1 -r 1 many.txt | sed -n 2,4p
tally allocinfo many.txt | sort -g | tail -n 12 | numfmt --to=iec | wc -l
