# SPDX-License-Identifier: Apache-2.0
# Rows of one place are one row; sums do not change.
file=$CASE_DIR/../data/linux-7.3.4-load.txt
grep -c vmalloc.h:189 "$file"
tally allocinfo --sum "$file" >summed.txt
grep vmalloc.h:189 summed.txt
add() { awk 'NR > 2 { bytes += $1; calls += $2 } END { printf "%d %d\n", bytes, calls }' "$1"; }
add "$file"
add summed.txt
tail -n +3 summed.txt | sed "s/^ *[0-9]* *[0-9]* //" | sort | uniq -d
