# SPDX-License-Identifier: Apache-2.0
# The sum equals that of a script over the file.
file=$CASE_DIR/../data/linux-7.3.4-load.txt
tally export --to folded "$file" | awk '{ sum += $NF } END { print sum }'
awk 'NR > 2 { sum += $1 } END { print sum }' "$file"
tally export --to folded "$file" | sed "s/ [0-9]*$//" | sort | uniq -d
